"""Questions to solvers: z3 decides them within a budget, cvc5 gives a second opinion."""
