"""Signs inside lemmas about numbers: what shows them, and how the lemma is written for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

import sympy

from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.elementary import Exp
from theory.kernel.relations import Relation
from theory.kernel.signs import nonnegative
from theory.kernel.vectors import Scalar
from theory.rocq.products import products
from theory.rocq.text import Text, arithmetic
from theory.verdicts import Verdict

if TYPE_CHECKING:
    from theory.rocq.numbers import Numbers

HALF: Final = sympy.Rational(1, 2)


@dataclass(frozen=True)
class Premise:
    """A fact with the number that it is multiplied by, and a tactic that proves it.

    Attributes
    ----------
    relation : Relation
    proof : str
    factor : sympy expression
    """

    relation: Relation
    proof: str
    factor: Scalar = 1


def shown_by_form(node: Scalar, strict: bool = False) -> bool:
    """Whether the tactic ``pos`` sees the sign of an expression by its form.

    Examples
    --------
    >>> x, y = sympy.Symbol("x", positive=True), sympy.Symbol("y", real=True)
    >>> shown_by_form(x + y**2, strict=True), shown_by_form(x - y)
    (True, False)
    """
    node = sympy.sympify(node)
    if node.is_Rational:
        return bool(node > 0 if strict else node >= 0)
    if node.is_Add:
        some = any(shown_by_form(part, True) for part in node.args)
        return all(map(shown_by_form, node.args)) and (some or not strict)
    if node.is_Mul:
        return all(
            shown_by_form(part, strict or bool(part.is_Pow and part.exp.is_negative))
            for part in node.args
        )
    if node.is_Pow and node.exp.is_Rational:
        even = node.exp in (2, 4) and not strict
        return even or shown_by_form(node.base, strict or node.exp < 0)
    if isinstance(node, sympy.Sum):
        return not strict and no_negative_coefficient(node)
    return bool(node.is_positive if strict else node.is_nonnegative)


def _factors(form: Scalar) -> tuple[Scalar, list[tuple[Scalar, int]]]:
    """A number, and factors with their powers."""
    number, rest = form.as_coeff_Mul()
    powers = rest.as_powers_dict()
    whole = all(power.is_Integer for power in powers.values())
    return (number, [(b, int(p)) for b, p in powers.items()]) if whole else (form, [])


def _root_of(form: Scalar) -> Scalar | None:
    """The root of a product in which all is squared."""
    number, factors = _factors(form)
    root = sympy.sqrt(number)
    whole = root.is_Rational and not any(power % 2 for base, power in factors if base != 1)
    return root * sympy.Mul(*(base ** (power // 2) for base, power in factors)) if whole else None


def _between(variable: str, base: Scalar) -> list[tuple[str, str]]:
    """Bounds of the root of a number, to three digits."""
    if not base.is_Rational:
        return []
    low = isqrt(int(base * 10**6))
    return [
        (f"({low} / 1000) <= {variable}", "apply root_above; lra"),
        (f"{variable} <= ({low + 1} / 1000)", "apply root_below; lra"),
    ]


def is_root(node: Any) -> bool:
    """Whether an atom is a root."""
    return bool(node.is_Pow and node.exp.is_Rational and node.exp.p == 1 and node.exp.q > 1)


def is_square_root(node: Any) -> bool:
    """Whether an atom is a square root."""
    return bool(node.is_Pow and node.exp == HALF)


def is_power(node: Any) -> bool:
    """Whether an atom is a power whose exponent is no number."""
    return bool(node.is_Pow and node.exp.is_integer and not node.exp.is_Integer)


def is_special(node: Any) -> bool:
    """Whether an equation says what an atom is."""
    return is_root(node) or is_power(node)


def with_variables(form: Scalar, variables: dict[Any, Any]) -> Scalar:
    """An expression with a symbol for each atom, roots of them included."""
    if form in variables:
        return variables[form]
    if form.is_Pow and form.exp.is_Rational and form.exp.q > 1:
        root = form.base ** sympy.Rational(1, form.exp.q)
        if root in variables:
            return variables[root] ** form.exp.p
    if form.is_Add or form.is_Mul or (form.is_Pow and form.exp.is_Integer):
        return form.func(*(with_variables(part, variables) for part in form.args))
    if form.is_Pow and form.exp.is_integer and form.exp.is_Add:
        parts = (sympy.Pow(form.base, part) for part in form.exp.args)
        return sympy.Mul(*(with_variables(part, variables) for part in parts))
    return form


def _oriented(form: Scalar) -> Scalar:
    """A product with its minus, if it has one, inside a factor that is a sum."""
    number, rest = form.as_coeff_Mul()
    sums = [part for part in sympy.Mul.make_args(rest) if part.is_Add]
    if number < 0 and sums:
        others = sympy.Mul(*(part for part in sympy.Mul.make_args(rest) if part is not sums[0]))
        turned = sympy.Add(*(-part for part in sums[0].args))
        return sympy.Mul(-number, others, turned, evaluate=False)
    return form


class Atoms:
    """One lemma while it is written: which atoms it has, and what is known of them."""

    def __init__(self, numbers: Numbers, text: Text) -> None:
        self.numbers, self.text = numbers, text
        self.atoms: dict[Scalar, str] = {}
        self.under: Sequence[Premise] = ()
        self.deepest = 2
        self.defined: dict[str, tuple[Scalar, Scalar]] = {}

    def leaf(self, node: Any) -> str:
        """The variable of an atom."""
        if node not in self.atoms:
            plain = node.is_Symbol and node.name not in self.text.varying
            taken = set(self.atoms.values())
            free = next(f"a{n}" for n in count(1) if f"a{n}" not in taken)
            self.atoms[node] = self.text.names(node.name) if plain else free
            if is_root(node):
                self.write(node.base)
        return self.atoms[node]

    def write(self, node: Scalar) -> str:
        """An expression in variables."""
        return arithmetic(sympy.sympify(node), self.leaf)

    def relation(self, one: Relation) -> str:
        """A relation in variables."""
        sign = "<=" if one.kind == "<=" else "="
        return f"{self.write(one.lhs)} {sign} {self.write(one.rhs)}"

    def facts(self, under: Sequence[Premise]) -> list[tuple[str, str]]:
        """What is known of the atoms, each with a tactic."""
        found = self._powers()
        for node in list(self.atoms):
            variable = self.atoms[node]
            if isinstance(node, sympy.Max) and len(node.args) == 2:
                for part, side in zip(node.args, "lr", strict=True):
                    found.append((f"{self.write(part)} <= {variable}", f"apply Rmax_{side}"))
            if is_root(node):
                found += self._root(node, under)
            elif node.is_Symbol and node.is_integer and node.is_positive:
                found.append((f"1 <= {variable}", "pos"))
            elif node.is_Symbol and node.is_integer and node.is_nonnegative:
                said = f"{variable} = 0 \\/ 1 <= {variable}"
                found += [
                    (f"0 <= {variable}", "pos"),
                    (said, "apply none_or_some; first [lia | solve [given]]"),
                ]
            elif isinstance(node, Exp) or shown_by_form(node, True):
                found.append((f"0 < {variable}", "pos"))
            elif shown_by_form(node):
                found.append((f"0 <= {variable}", "pos"))
        return found

    def _root(self, node: Any, under: Sequence[Premise]) -> list[tuple[str, str]]:
        """What a root is: its power, and its sign."""
        variable, base, square = self.atoms[node], self.write(node.base), is_square_root(node)
        said = (
            f"{variable} * {variable} = {base}" if square else f"{variable} ^ {node.exp.q} = {base}"
        )
        self.defined[said] = node, node.base
        inside = self.numbers.sign(self.text, node.base, False, under)
        opened = "apply sqrt_sqrt" if square else "apply nroot_pow; [lia |]"
        found = [(said, f"{opened}; {inside}")]
        if square:
            found += _between(variable, node.base)
        if node.base.is_positive or shown_by_form(node.base, True):
            above = self.numbers.sign(self.text, node.base, True, under)
            lemma = "sqrt_lt_R0" if square else "nroot_pos"
            return [*found, (f"0 < {variable}", f"apply {lemma}; {above}")]
        return [*found, (f"0 <= {variable}", f"apply {'sqrt_pos' if square else 'nroot_nonneg'}")]

    def _powers(self) -> list[tuple[str, str]]:
        """What powers of one base have to do with each other."""
        found = []
        powers = [node for node in self.atoms if is_power(node)]
        for node in powers:
            lower = [
                one for one in powers if one.base == node.base
                and (node.exp - one.exp).is_Integer and node.exp - one.exp > 0
            ]  # fmt: skip
            if lower:
                least = min(lower, key=lambda one: one.exp - node.exp)
                count = node.exp - least.exp
                lower_power = f"({self.write(node.base)} ^ {count}) * {self.atoms[least]}"
                said = f"{self.atoms[node]} = {lower_power}"
                self.defined[said] = node, node.base**count * least
                found.append((said, "apply powz_more; lia"))
        return found

    def sign_goal(self, form: Scalar, strict: bool, under: Sequence[Premise]) -> str:
        """A tactic for a sign, by a lemma of its own."""
        self.under = under
        if form.is_Rational:
            return "lra"
        if shown_by_form(form, strict):
            return "solve [pos]"
        said = f"0 {'<' if strict else '<='} {self.write(form)}"
        known = [(self.relation(one.relation), one.proof) for one in under]
        by = self.by_sign(form, strict)
        facts = self.facts(under)
        hints = "".join([*self._cleared(under).values(), *self._apart([form]).values()])
        return self.closed([*facts, *known], said, f"{hints}  {by}.", len(facts), len(known))

    def _cleared(self, under: Sequence[Premise]) -> dict[str, str]:
        """The facts of the domain without denominators, by name."""
        lines = {}
        for place, one in enumerate(under):
            above, below = sympy.fraction(sympy.together(one.relation.gap))
            if below != 1 and one.relation.kind == "<=" and shown_by_form(below, True):
                a, b, gap = (
                    self.write(sympy.expand(above)),
                    self.write(below),
                    self._gap(one.relation),
                )
                lines[f"w{place}"] = (
                    f"  assert (w{place} : 0 <= {a}) by (apply (cleared {a} {b}); [solve [pos] | "
                    f"replace ({a} / {b}) with {gap} by fields; lra]).\n"
                )
        return lines

    def _apart(self, forms: Sequence[Scalar]) -> dict[str, str]:
        """What is not 0 below a fraction, and the signs of its factors, by name."""
        powers = {p for form in forms for p in sympy.sympify(form).atoms(sympy.Pow)}
        below = {p.base for p in powers if p.exp.is_negative and p.base.is_Add}
        lines: dict[str, str] = {}
        for base in sorted((b for b in below if not shown_by_form(b, True)), key=str):
            number, factors = _factors(sympy.factor(base))
            parts = []
            for one, power in factors:
                sides = (one, sympy.Add(*(-part for part in one.args)))
                side = next((s for s in sides if self._shows(s, True)), None)
                if side is None or (side is not one and not one.is_Add):
                    break
                number *= 1 if side is one else (-1) ** power
                parts.append(f"({self.write(side)}) ^ {power}")
                told = self.write(side)
                if not shown_by_form(side, True) and not any(
                    f" 0 < {told})" in s for s in lines.values()
                ):
                    name = f"t{len(lines)}"
                    lines[name] = (
                        f"  assert ({name} : 0 < {told}) by ({self.by_sign(side, True)}).\n"
                    )
            else:
                name, product = f"e{len(lines)}", " * ".join([self.write(number), *parts])
                lines[name] = (
                    f"  assert ({name} : {self.write(base)} <> 0) by "
                    f"(replace {self.write(base)} with ({product}) by fields; differs).\n"
                )
        return lines

    def by_sign(self, form: Scalar, strict: bool) -> str:
        """A tactic for a sign inside the lemma."""
        if form.is_Rational:
            return "lra"
        if shown_by_form(form, strict):
            return "solve [pos]"
        above, below = sympy.fraction(sympy.together(sympy.expand(form)))
        plain = no_negative_coefficient(form, strict)
        above, below = sympy.expand(above), sympy.factor(below)
        by = "solve [pos]" if plain else "sign"
        above = above if plain else _oriented(sympy.factor(above))
        if plain:
            return self._reformed(form, above, below, by, strict)
        tries = ["lra", "solve [pos]", *(["solve [factors]"] if form.is_Mul else [])]
        turned = self._turned(form)
        tries += [turned] if turned else []
        tries.append(self._reformed(form, above, below, by, strict))
        if not strict:
            tries += self._cases()
            more = (
                self._in_roots(form), self._of_two_roots(form, above, below),
                self._by_roots(form, above, below), self._shifted(form, above, below),
                self._squared(form), self._of_squares(form),
            )  # fmt: skip
            tries += [one for one in more if one]
        summed = self._summed(form, below, strict)
        tries += [summed] if summed else []
        return f"first [{' | '.join(tries)}]"

    def _summed(self, form: Scalar, below: Scalar, strict: bool) -> str:
        """As a sum of products of what is known to be at least 0, one of them above it."""
        if any(is_special(node) for node in self.atoms) or not shown_by_form(below, True):
            return ""
        known = [one.relation.gap for one in self.under if one.relation.kind == "<="]
        known = [sympy.fraction(sympy.together(gap))[0] for gap in known]
        counts = [n for n in self.atoms if n.is_Symbol and n.is_integer and n.is_positive]
        atoms = [n for n in self.atoms if shown_by_form(n)]
        rooms = [n - 1 for n in counts] + atoms
        names = {node: sympy.Dummy() for node in self.atoms if not node.is_Symbol}
        strictly = {names.get(n, n) for n in atoms if shown_by_form(n, True)}
        back = {dummy: node for node, dummy in names.items()}
        above = sympy.fraction(sympy.together(sympy.expand(form)))[0]
        signs = [sympy.expand(one).xreplace(names) for one in (*known, *rooms)]
        found = products(sympy.expand(above).xreplace(names), signs, strictly if strict else None)
        if not found:
            return ""
        terms = [" * ".join(self.write(p.xreplace(back)) for p in (c, *one)) for c, one in found]
        whole = f"({' + '.join(f'(1 * {term})' for term in terms)})"
        return (
            f"replace {self.write(form)} with ({whole} / {self.write(below)}) by fields; "
            f"apply over_{'pos' if strict else 'nonneg'}; [solve [products] | sign]"
        )

    def _cases(self) -> list[str]:
        """A count is 0, or it is at least 1."""
        counts = [
            self.atoms[n] for n in self.atoms
            if n.is_Symbol and n.is_integer and n.is_nonnegative and not n.is_positive
        ]  # fmt: skip
        return [
            f"match goal with H : {n} = 0 \\/ 1 <= {n} |- _ => destruct H as [H|H]; "
            "[rewrite H in *; first [lra | nra] | first [lra | nra]] end"
            for n in counts
        ]

    def _in_roots(self, form: Scalar) -> str:
        """With the square of its root for each number that stands under one, factored."""
        roots = [node for node in self.atoms if is_square_root(node) and node.base.is_Symbol]
        own = {node: sympy.Dummy(positive=True) for node in roots if form.has(node.base)}
        squares = {node.base: root**2 for node, root in own.items()}
        powers = (node for node in form.atoms(sympy.Pow) if not node.exp.is_Rational)
        if not own or any(node.base.free_symbols & set(squares) for node in powers):
            return ""
        above, below = sympy.fraction(sympy.factor(form.xreplace(own).xreplace(squares)))
        self.atoms |= {root: self.atoms[node] for node, root in own.items()}
        over, under = self.write(_oriented(above)), self.write(below)
        for root in own.values():
            del self.atoms[root]
        return (
            f"replace {self.write(form)} with ({over} / {under}) by fields; "
            "apply over_nonneg; [solve [factors] | sign]"
        )

    def _of_two_roots(self, form: Scalar, above: Scalar, below: Scalar) -> str:
        """A difference of two multiples of roots, by what the roots are of."""
        known = [node for node in self.atoms if is_square_root(node)]
        parts = (part for part in sympy.Mul.make_args(above) if not shown_by_form(part))
        odd = [part for part in parts if known and part.has(*known)]
        roots = [node for node in known if odd and odd[0].has(node)]
        if len(odd) != 1 or len(roots) != 2:
            return ""
        sizes = [sympy.expand(odd[0]).coeff(root) for root in roots]
        rest = sympy.expand(odd[0] - sum(s * r for s, r in zip(sizes, roots, strict=True)))
        if rest != 0 or any(size.has(*roots) for size in sizes):
            return ""
        pairs = list(zip(roots, sizes, strict=True))
        (more, p), (less, q) = pairs if shown_by_form(sizes[0]) else pairs[::-1]
        q = sympy.expand(-q)
        if not (shown_by_form(p) and shown_by_form(q)):
            return ""
        gap = self.write(sympy.expand(p**2 * more.base - q**2 * less.base))
        others = sympy.Mul(*(part for part in sympy.Mul.make_args(above) if part not in odd))
        p_, r, q_, s = (self.write(one) for one in (p, more, q, less))
        x, y = (self.write(one.base) for one in (more, less))
        whole = f"({self.write(others)} * ({p_} * {r} - {q_} * {s}) / {self.write(below)})"
        return (
            f"replace {self.write(form)} with {whole} by fields; apply over_nonneg; "
            f"[apply Rmult_le_pos; [sign | apply (roots_gap {p_} {r} {x} {q_} {s} {y}); "
            "[solve [pos] | solve [pos] | assumption | assumption | "
            f"replace ({p_} ^ 2 * {x} - {q_} ^ 2 * {y}) with {gap} by ring; "
            "first [solve [pos] | lra | nra]]] | sign]"
        )

    def _by_roots(self, form: Scalar, above: Scalar, below: Scalar) -> str:
        """A difference of two products of roots, by their squares."""
        parts = sympy.Mul.make_args(above)
        odd = [part for part in parts if not shown_by_form(part)]
        terms = odd[0].args if len(odd) == 1 and odd[0].is_Add else ()
        more, less = ([t for t in terms if shown_by_form(s * t)] for s in (1, -1))
        if (len(more), len(less), len(terms)) != (1, 1, 2) or not any(
            map(is_square_root, self.atoms)
        ):
            return ""
        others = sympy.Mul(*(part for part in parts if part not in odd))
        difference = f"({self.write(more[0])} - {self.write(-less[0])})"
        whole = f"({self.write(others)} * {difference} / {self.write(below)})"
        return (
            f"replace {self.write(form)} with {whole} by fields; apply over_nonneg; "
            "[apply Rmult_le_pos; [solve [pos] | apply root_gap; "
            "[solve [pos] | roots_out; first [lra | nra]]] | sign]"
        )

    def _turned(self, form: Scalar) -> str:
        """A product, or a fraction, whose factors are negative two by two, with each turned."""
        number, powers = _factors(sympy.factor(form))
        turned, sides = 0, ([abs(number)], [sympy.S.One])
        for base, power in powers:
            odd = power % 2 and base.is_Add and not self._shows(base) and self._shows(-base)
            turned += bool(odd)
            factor = sympy.Add(*(-q for q in base.args)) if odd else base
            sides[power < 0].append(factor ** abs(power))
        if not turned or (turned % 2 == 0) != (number > 0):
            return ""
        above, below = (" * ".join(map(self.write, side)) for side in sides)
        open_ones = [one for one in sides[0] if one.is_Add and not shown_by_form(one)]
        first = "".join(
            f"assert (0 <= {self.write(one)}) by ({self.by_sign(one, False)}); "
            for one in open_ones
        )
        return (
            f"{first}replace {self.write(form)} with (({above}) / ({below})) by fields; "
            "apply over_nonneg; [solve [factors] | solve [factors]]"
        )

    def _shows(self, form: Scalar, strict: bool = False) -> bool:
        """Whether the kernel shows a sign here; a hint for what to write, and no proof."""
        under = [one.relation for one in self.under]
        return nonnegative(form, under, strict).verdict is Verdict.PROVED

    def _squared(self, form: Scalar) -> str:
        """As c·(s·v + t)² and a rest, for an atom v that is squared in it."""
        above, below = sympy.fraction(sympy.together(sympy.expand(form)))
        above = sympy.expand(above)
        if self.deepest <= 0 or not shown_by_form(below, True):
            return ""
        for atom in list(self.atoms):
            if is_special(atom) or not above.is_polynomial(atom):
                continue
            whole = sympy.Poly(above, atom)
            if whole.degree() != 2:
                continue
            first, second, third = whole.all_coeffs()
            number, factors = _factors(first)
            side = sympy.Mul(*(base ** (power // 2) for base, power in factors))
            size = number * sympy.Mul(*(base ** (power % 2) for base, power in factors))
            shift = sympy.cancel(second / (2 * size * side))
            rest = sympy.cancel(third - size * shift**2)
            if self._shows(size) and self._shows(rest):
                self.deepest -= 1
                signs = [self.by_sign(sympy.sympify(one), False) for one in (size, rest)]
                self.deepest += 1
                square = f"({self.write(side)} * {self.write(atom)} + {self.write(shift)}) ^ 2"
                text = f"({self.write(size)} * ({square}) + {self.write(rest)})"
                text = f"({text} / {self.write(below)})"
                return (
                    f"replace {self.write(form)} with {text} by fields; apply over_nonneg; "
                    f"[apply sum_nonneg; [apply Rmult_le_pos; [{signs[0]} | apply pow2_ge_0] | "
                    f"{signs[1]}] | sign]"
                )
        return ""

    def _of_squares(self, form: Scalar) -> str:
        """As (p − q)·(p + q), for what is a difference of squares with roots for numbers."""
        roots = {node: sympy.Dummy() for node in self.atoms if is_square_root(node)}
        bare = sympy.expand(form.xreplace(roots).xreplace({n.base: r**2 for n, r in roots.items()}))
        for atom in [node for node in self.atoms if node.is_Symbol and bare.is_polynomial(node)]:
            parts = bare.coeff(atom, 2), -bare.coeff(atom, 0)
            if parts[0] == 0 or sympy.expand(bare - parts[0] * atom**2 + parts[1]) != 0:
                continue
            p, q = (_root_of(sympy.factor(part)) for part in parts)
            if p is not None and q is not None:
                self.atoms |= {root: self.atoms[node] for node, root in roots.items()}
                sides = [self.write(p * atom - q), self.write(p * atom + q)]
                for root in roots.values():
                    del self.atoms[root]
                return (
                    f"replace {self.write(form)} with ({sides[0]} * {sides[1]}) by fields; "
                    "apply Rmult_le_pos; first [lra | nra]"
                )
        return ""

    def _reformed(self, form: Scalar, above: Scalar, below: Scalar, by: str, strict: bool) -> str:
        """As numerator over denominator."""
        if below == 1:
            return f"replace {self.write(form)} with {self.write(above)} by fields; {by}"
        lemma = "over_pos" if strict else "over_nonneg"
        return (
            f"replace {self.write(form)} with ({self.write(above)} / {self.write(below)}) "
            f"by fields; apply {lemma}; [{by} | sign]"
        )

    def _shifted(self, form: Scalar, above: Scalar, below: Scalar) -> str:
        """With n − 1 for the whole numbers n ≥ 1: what is plain then, and the rest."""
        inner = {s for node in self.atoms if not node.is_Symbol for s in node.free_symbols}
        counts = [n for n in self.atoms if n.is_Symbol and n.is_integer and n.is_positive]
        counts = [n for n in counts if n not in inner]
        rooms = {n: sympy.Dummy(n.name, nonnegative=True) for n in counts if above.has(n)}
        moved = sympy.expand(above.xreplace({n: room + 1 for n, room in rooms.items()}))
        terms = sympy.Add.make_args(moved)
        plain = [t for t in terms if t.free_symbols & set(rooms.values()) and shown_by_form(t)]
        rest = sympy.Add(*(t for t in terms if t not in plain))
        if not plain or not rooms:
            return ""
        for n, room in rooms.items():
            self.atoms[room] = f"({self.atoms[n]} - 1)"
        one, other = self.write(sympy.Add(*plain)), self.write(rest)
        for room in rooms.values():
            del self.atoms[room]
        shape = f"(({one} + {other}) / {self.write(below)})"
        return (
            f"replace {self.write(form)} with {shape} by fields; apply over_nonneg; "
            "[apply sum_nonneg; [solve [pos] | sign] | sign]"
        )

    def _gap(self, one: Relation) -> str:
        return f"({self.write(one.rhs)} - {self.write(one.lhs)})"

    def closed(
        self, facts: list[tuple[str, str]], said: str, body: str, known: int = -1, under: int = 0
    ) -> str:
        """The lemma with everything it needs, applied to our atoms."""
        if known < 0:
            known, under = len(facts), 0
        labels = [f"d{i}" for i in range(known)] + [f"u{i}" for i in range(under)]
        labels += [f"p{i}" for i in range(len(facts) - known - under)]
        variables = " ".join(self.atoms.values())
        bound = f"forall {variables} : R,\n  " if variables else ""
        arrows = "".join(f"{fact} ->\n  " for fact, _ in facts)
        intros = " ".join((*self.atoms.values(), *labels))
        name = self.numbers.add(
            f": {bound}{arrows}{said}.\nProof.\n  intros {intros}.\n{body}\nQed."
        )
        values = " ".join(self.text._leaf(node) for node in self.atoms)
        tactics = f"; [{' | '.join(proof for _, proof in facts)}]" if facts else ""
        return f"apply ({name} {values}){tactics}" if values else f"apply {name}{tactics}"
