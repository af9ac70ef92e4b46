"""Unicode characters and the LaTeX that prints them, as data.

Everything here compiles with the LaTeX kernel, amsmath and amssymb under any font encoding.
"""

from __future__ import annotations

_MATH_PAIRS = r"""
− -              · \cdot           × \times          ÷ \div           ± \pm            ∓ \mp
≤ \le            ≥ \ge             ⩽ \leqslant       ⩾ \geqslant      ≪ \ll            ≫ \gg
≲ \lesssim       ≳ \gtrsim         ≠ \ne             ≈ \approx        ≡ \equiv         ≅ \cong
≃ \simeq         ∼ \sim            ∝ \propto         ≜ \triangleq     ≔ :=             ∞ \infty
∈ \in            ∉ \notin          ∋ \ni             ⊂ \subset        ⊆ \subseteq      ⊃ \supset
⊇ \supseteq      ∪ \cup            ∩ \cap            ∖ \setminus      ∅ \emptyset      ∣ \mid
∀ \forall        ∃ \exists         ∄ \nexists        ¬ \neg           ∧ \wedge         ∨ \vee
→ \to            ← \leftarrow      ↔ \leftrightarrow ⇒ \Rightarrow    ⇐ \Leftarrow     ↦ \mapsto
⇔ \Leftrightarrow ⟶ \longrightarrow ⟹ \Longrightarrow ⟺ \Longleftrightarrow ↑ \uparrow  ↓ \downarrow
∑ \sum           ∏ \prod           ∫ \int            √ \surd          ∂ \partial       ∇ \nabla
‖ \|             ∥ \|              ⌊ \lfloor         ⌋ \rfloor        ⌈ \lceil         ⌉ \rceil
⟨ \langle        ⟩ \rangle         … \ldots          ⋯ \cdots         ⋮ \vdots         ⋱ \ddots
∘ \circ          ⊙ \odot           ⊗ \otimes         ⊕ \oplus         ⊖ \ominus        ⋆ \star
∗ \ast           † \dagger         ‡ \ddagger        ⊥ \perp          ⊤ \top           ⊢ \vdash
⊨ \models        ∎ \blacksquare    □ \square         ■ \blacksquare   ✓ \checkmark     ✗ \times
ℓ \ell           ℝ \mathbb{R}      ℕ \mathbb{N}      ℤ \mathbb{Z}     ℚ \mathbb{Q}     ℂ \mathbb{C}
𝔼 \mathbb{E}     ℙ \mathbb{P}      𝒪 \mathcal{O}     ℱ \mathcal{F}    ℋ \mathcal{H}    ℒ \mathcal{L}
⅛ \tfrac{1}{8}
½ \tfrac{1}{2}   ⅓ \tfrac{1}{3}    ⅔ \tfrac{2}{3}    ¼ \tfrac{1}{4}   ¾ \tfrac{3}{4}
′ {}'            ″ {}''            ‴ {}'''
° {}^{\circ}      µ \mu            ∆ \Delta         ¯ {}^{-}
α \alpha         β \beta           γ \gamma          δ \delta         ε \varepsilon    ϵ \epsilon
ζ \zeta          η \eta            θ \theta          ϑ \vartheta      ι \iota          κ \kappa
λ \lambda        μ \mu             ν \nu             ξ \xi            ο o              π \pi
ρ \rho           ϱ \varrho         σ \sigma          ς \varsigma      τ \tau           υ \upsilon
φ \varphi        ϕ \phi            χ \chi            ψ \psi           ω \omega         ϖ \varpi
Α \mathrm{A}     Β \mathrm{B}      Γ \Gamma          Δ \Delta         Ε \mathrm{E}     Ζ \mathrm{Z}
Η \mathrm{H}     Θ \Theta          Ι \mathrm{I}      Κ \mathrm{K}     Λ \Lambda        Μ \mathrm{M}
Ν \mathrm{N}     Ξ \Xi             Ο \mathrm{O}      Π \Pi            Ρ \mathrm{P}     Σ \Sigma
Τ \mathrm{T}     Υ \Upsilon        Φ \Phi            Χ \mathrm{X}     Ψ \Psi           Ω \Omega
ᵀ {}^{T}         ᵢ {}_{i}          ⱼ {}_{j}          ᵣ {}_{r}         ₖ {}_{k}         ₘ {}_{m}
ₙ {}_{n}         ₚ {}_{p}          ₛ {}_{s}          ₜ {}_{t}         ₓ {}_{x}         ₐ {}_{a}
ᵃ {}^{a}         ᵇ {}^{b}          ᶜ {}^{c}          ᵈ {}^{d}         ᵉ {}^{e}         ʰ {}^{h}
ⁱ {}^{i}         ʲ {}^{j}          ᵏ {}^{k}          ˡ {}^{l}         ᵐ {}^{m}         ⁿ {}^{n}
ᵖ {}^{p}         ʳ {}^{r}          ˢ {}^{s}          ᵗ {}^{t}         ᵘ {}^{u}         ˣ {}^{x}
"""

_SCRIPTS = {
    "^": dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾", "0123456789+-=()", strict=True)),
    "_": dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True)),
}

MATH: dict[str, str] = dict(
    zip(_MATH_PAIRS.split()[::2], _MATH_PAIRS.split()[1::2], strict=True)
) | {
    character: f"{{}}{sign}{{{plain}}}"
    for sign, table in _SCRIPTS.items()
    for character, plain in table.items()
}
"""Character → what prints it in mathematics."""

TEXT: dict[str, str] = {
    "–": "--",
    "—": "---",
    "‐": "-",
    "‑": "-",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "•": r"\textbullet{}",
    "①": "(1)",
    "②": "(2)",
    "③": "(3)",
    "§": r"\S{}",
    "¶": r"\P{}",
    "©": r"\copyright{}",
    "£": r"\pounds{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "å": r"\aa{}",
    "Å": r"\AA{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
"""Character → what prints it in text."""

SPECIAL: dict[str, str] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
}
"""ASCII character with a meaning of its own → what prints it."""

ACCENTS: dict[str, tuple[str, str]] = {
    "\u0300": (r"\`", r"\grave"),
    "\u0301": (r"\'", r"\acute"),
    "\u0302": (r"\^", r"\hat"),
    "\u0303": (r"\~", r"\tilde"),
    "\u0304": (r"\=", r"\bar"),
    "\u0305": (r"\=", r"\bar"),
    "\u0306": (r"\u", r"\breve"),
    "\u0307": (r"\.", r"\dot"),
    "\u0308": (r"\"", r"\ddot"),
    "\u030a": (r"\r", r"\mathring"),
    "\u030c": (r"\v", r"\check"),
}
"""Combining character → the accent over a letter, and over mathematics."""
