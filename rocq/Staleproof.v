(** What exported theorems rest on: inner products, means, sums over integers, and the kernel's rules.

    Everything is proved here from the standard real numbers. An exported theorem quantifies over all
    spaces, means and laws below, so it holds for every instance of them. *)

From Coq Require Export Reals ZArith Lra Lia Psatz.
Open Scope R_scope.

(** * Spaces with an inner product, of any dimension *)

Record Space := {
  vec :> Type;
  zero : vec;
  add : vec -> vec -> vec;
  scale : R -> vec -> vec;
  dot : vec -> vec -> R;
  add_comm : forall u v, add u v = add v u;
  add_assoc : forall u v t, add u (add v t) = add (add u v) t;
  add_zero : forall u, add u zero = u;
  scale_one : forall u, scale 1 u = u;
  scale_zero : forall u, scale 0 u = zero;
  scale_scale : forall a b u, scale a (scale b u) = scale (a * b) u;
  scale_add : forall a u v, scale a (add u v) = add (scale a u) (scale a v);
  add_scale : forall a b u, scale (a + b) u = add (scale a u) (scale b u);
  dot_sym : forall u v, dot u v = dot v u;
  dot_add : forall u v t, dot (add u v) t = dot u t + dot v t;
  dot_scale : forall a u v, dot (scale a u) v = a * dot u v;
  dot_nonneg : forall u, 0 <= dot u u
}.
Arguments zero {s}. Arguments add {s} _ _. Arguments scale {s} _ _. Arguments dot {s} _ _.

Lemma dot_add_r (V : Space) (u v t : V) : dot t (add u v) = dot t u + dot t v.
Proof. rewrite dot_sym, dot_add, (dot_sym _ u), (dot_sym _ v); reflexivity. Qed.
Lemma dot_scale_r (V : Space) a (u v : V) : dot v (scale a u) = a * dot v u.
Proof. rewrite dot_sym, dot_scale, (dot_sym _ u); reflexivity. Qed.
Lemma dot_zero (V : Space) (u : V) : dot zero u = 0.
Proof. rewrite <- (scale_zero V u), dot_scale; ring. Qed.
Lemma dot_zero_r (V : Space) (u : V) : dot u zero = 0.
Proof. rewrite dot_sym; apply dot_zero. Qed.

Ltac bilinear :=
  rewrite ?dot_zero, ?dot_zero_r;
  repeat (rewrite ?dot_add, ?dot_add_r, ?dot_scale, ?dot_scale_r, ?dot_zero, ?dot_zero_r).

(** * Means

    [mean w f] is the mean of [f] over the outcomes that differ from [w] only in what is drawn:
    those that are the [same] otherwise. Every function has a mean, as over finitely many
    outcomes. *)

Record Mean (W : Type) := {
  same : W -> W -> Prop;
  mean : W -> (W -> R) -> R;
  mean_plus : forall w f g, mean w (fun v => f v + g v) = mean w f + mean w g;
  mean_scale : forall w c f, mean w (fun v => c * f v) = c * mean w f;
  mean_one : forall w, mean w (fun _ => 1) = 1;
  mean_nonneg : forall w f, (forall v, same w v -> 0 <= f v) -> 0 <= mean w f;
  mean_same : forall w v f, same w v -> mean w f = mean v f
}.
Arguments same {W} _ _ _. Arguments mean {W} _ _ _.

(** What is known before something is drawn: a quantity that takes one value whatever it is. *)
Definition known {W T : Type} (M : Mean W) (q : W -> T) : Prop :=
  forall w v, same M w v -> q w = q v.

(** The expectation of everything. *)
Record Law (W : Type) := {
  total : (W -> R) -> R;
  total_plus : forall f g, total (fun v => f v + g v) = total f + total g;
  total_scale : forall c f, total (fun v => c * f v) = c * total f;
  total_one : total (fun _ => 1) = 1;
  total_nonneg : forall f, (forall v, 0 <= f v) -> 0 <= total f
}.
Arguments total {W} _ _.

Section Means.
Variables (W : Type) (M : Mean W) (P : Law W).

Lemma mean_le w f g : (forall v, same M w v -> f v <= g v) -> mean M w f <= mean M w g.
Proof.
  intros H. assert (0 <= mean M w (fun v => g v + (-1) * f v)) as D.
  { apply mean_nonneg. intros v Hv. specialize (H v Hv). lra. }
  rewrite mean_plus, mean_scale in D. lra.
Qed.
Lemma mean_ext w f g : (forall v, same M w v -> f v = g v) -> mean M w f = mean M w g.
Proof.
  intros H. apply Rle_antisym; apply mean_le; intros v Hv; rewrite (H v Hv); apply Rle_refl.
Qed.
Lemma total_le f g : (forall v, f v <= g v) -> total P f <= total P g.
Proof.
  intros H. assert (0 <= total P (fun v => g v + (-1) * f v)) as D.
  { apply total_nonneg. intros v. specialize (H v). lra. }
  rewrite total_plus, total_scale in D. lra.
Qed.
Lemma total_ext f g : (forall v, f v = g v) -> total P f = total P g.
Proof. intros H. apply Rle_antisym; apply total_le; intros v; rewrite (H v); apply Rle_refl. Qed.
(** There is an outcome, since 1 has the expectation 1. *)
Lemma some_outcome_le (a b : R) : (W -> a <= b) -> a <= b.
Proof.
  intros H. destruct (Rle_dec a b) as [|N]; [assumption|].
  assert (total P (fun _ => 1) = total P (fun v => 0 * 1)) as E.
  { apply total_ext. intros v. destruct (N (H v)). }
  rewrite total_scale, total_one in E. lra.
Qed.
Lemma some_outcome_eq (a b : R) : (W -> a = b) -> a = b.
Proof. intros H. apply Rle_antisym; apply some_outcome_le; intros v; rewrite (H v); lra. Qed.
Lemma mean_const w c : mean M w (fun _ => c * 1) = c.
Proof. rewrite mean_scale, mean_one. ring. Qed.
Lemma total_const c : total P (fun _ => c * 1) = c.
Proof. rewrite total_scale, total_one. ring. Qed.

(** Jensen: the square of a mean is at most the mean of the square. *)
Lemma jensen w f : mean M w f ^ 2 <= mean M w (fun v => f v ^ 2).
Proof.
  set (m := mean M w f).
  assert (0 <= mean M w (fun v => f v ^ 2 + ((-2 * m) * f v + m ^ 2 * 1))) as D.
  { apply mean_nonneg. intros v _. replace (_ + _) with ((f v - m) ^ 2) by ring. apply pow2_ge_0. }
  rewrite mean_plus, mean_plus, (mean_scale _ _ _ (-2 * m)), (mean_const w (m ^ 2)) in D.
  fold m in D. nra.
Qed.
End Means.

(** * Sums over integers, empty if the last is below the first *)

Fixpoint sum_of (f : Z -> R) (a : Z) (n : nat) : R :=
  match n with O => 0 | S m => sum_of f a m + f (a + Z.of_nat m)%Z end.
Definition zsum (f : Z -> R) (a b : Z) : R := sum_of f a (Z.to_nat (b - a + 1)).

Lemma zsum_empty f a b : (b < a)%Z -> zsum f a b = 0.
Proof. intros H. unfold zsum. replace (Z.to_nat (b - a + 1)) with O by lia. reflexivity. Qed.
Lemma zsum_last f a b : (a <= b)%Z -> zsum f a b = zsum f a (b - 1) + f b.
Proof.
  intros H. unfold zsum.
  replace (Z.to_nat (b - a + 1)) with (S (Z.to_nat (b - 1 - a + 1))) by lia.
  simpl. do 2 f_equal. lia.
Qed.
Lemma zsum_next f a b c : (a <= b + 1)%Z -> c = (b + 1)%Z -> zsum f a c = zsum f a b + f c.
Proof.
  intros H ->. rewrite zsum_last by lia. replace (b + 1 - 1)%Z with b by lia. reflexivity.
Qed.
Lemma sum_of_ext f g a n :
  (forall i, (0 <= i < Z.of_nat n)%Z -> f (a + i)%Z = g (a + i)%Z) -> sum_of f a n = sum_of g a n.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. simpl.
  rewrite IH; [rewrite H by lia; reflexivity | intros i Hi; apply H; lia].
Qed.
Lemma zsum_ext f g a b : (forall i, (a <= i <= b)%Z -> f i = g i) -> zsum f a b = zsum g a b.
Proof. intros H. unfold zsum. apply sum_of_ext. intros i Hi. apply H. lia. Qed.
Lemma zsum_plus f g a b : zsum (fun i => f i + g i) a b = zsum f a b + zsum g a b.
Proof. unfold zsum. induction (Z.to_nat _) as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.
Lemma zsum_scale c f a b : zsum (fun i => c * f i) a b = c * zsum f a b.
Proof. unfold zsum. induction (Z.to_nat _) as [|n IH]; simpl; [ring|rewrite IH; ring]. Qed.
Lemma zsum_one a b : (a <= b + 1)%Z -> zsum (fun _ => 1) a b = IZR b - IZR a + 1.
Proof.
  intros H. unfold zsum. rewrite <- minus_IZR, <- plus_IZR.
  rewrite <- (Z2Nat.id (b - a + 1)) at 2 by lia. rewrite <- INR_IZR_INZ.
  induction (Z.to_nat _) as [|n IH]; [simpl; ring|]. rewrite S_INR. simpl. rewrite IH. ring.
Qed.
Lemma sum_of_nonneg f a n :
  (forall i, (0 <= i < Z.of_nat n)%Z -> 0 <= f (a + i)%Z) -> 0 <= sum_of f a n.
Proof.
  induction n as [|n IH]; intros H; simpl; [lra|].
  assert (0 <= sum_of f a n) by (apply IH; intros; apply H; lia).
  specialize (H (Z.of_nat n) ltac:(lia)). lra.
Qed.
Lemma zsum_nonneg f a b : (forall i, (a <= i <= b)%Z -> 0 <= f i) -> 0 <= zsum f a b.
Proof. intros H. unfold zsum. apply sum_of_nonneg. intros i Hi. apply H. lia. Qed.
Lemma zsum_le f g a b : (forall i, (a <= i <= b)%Z -> f i <= g i) -> zsum f a b <= zsum g a b.
Proof.
  intros H. assert (0 <= zsum (fun i => g i + (-1) * f i) a b) as D.
  { apply zsum_nonneg. intros i Hi. specialize (H i Hi). lra. }
  rewrite zsum_plus, zsum_scale in D. lra.
Qed.
Lemma zsum_first f a b : (a <= b)%Z -> zsum f a b = f a + zsum f (a + 1) b.
Proof.
  intros H. replace b with (a + Z.of_nat (Z.to_nat (b - a)))%Z by lia.
  induction (Z.to_nat (b - a)) as [|n IH].
  - rewrite zsum_last, (zsum_empty f a), (zsum_empty f (a + 1)) by lia.
    replace (a + Z.of_nat 0)%Z with a by lia. ring.
  - rewrite zsum_last, (zsum_last f (a + 1)) by lia.
    replace (a + Z.of_nat (S n) - 1)%Z with (a + Z.of_nat n)%Z by lia. rewrite IH. ring.
Qed.

Lemma zsum_const c a b : (a <= b + 1)%Z -> zsum (fun _ => c * 1) a b = c * (IZR b - IZR a + 1).
Proof. intros H. rewrite zsum_scale, zsum_one by assumption. reflexivity. Qed.

(** A sum of changes is the last value less the first, where the whole starts at 0. *)
Lemma telescope (g G : Z -> R) (n : Z) :
  (0 <= n)%Z -> G 0%Z = 0 -> (forall k, (0 <= k)%Z -> G (k + 1)%Z = G k + g k) ->
  G n = zsum g 0 (n - 1).
Proof.
  intros Hn H0 Hs. pattern n. apply natlike_ind; [|intros k Hk IH|assumption].
  - rewrite zsum_empty by lia. assumption.
  - unfold Z.succ. rewrite Hs, IH by assumption.
    rewrite (zsum_next g 0 (k - 1) (k + 1 - 1)) by lia. do 2 f_equal. lia.
Qed.
Lemma recurrence (a B : Z -> R) (n : Z) :
  (0 <= n)%Z -> a 0%Z <= B 0%Z ->
  (forall k, (0 <= k)%Z -> a k <= B k -> a (k + 1)%Z <= B (k + 1)%Z) -> a n <= B n.
Proof.
  intros Hn H0 Hs. pattern n. apply natlike_ind; [assumption|intros k Hk IH|assumption].
  unfold Z.succ. apply Hs; assumption.
Qed.

(** A linear recurrence: what is added is multiplied by all later ratios. *)
Lemma unroll (a b r : Z -> R) (p : Z -> Z -> R) (c : R) (n : Z) :
  (0 <= n)%Z -> a 0%Z = c + b 0%Z ->
  (forall k, (0 <= k)%Z -> a (k + 1)%Z = r k * a k + b (k + 1)%Z) ->
  (forall k, (0 <= k)%Z -> p k 0%Z = 1) ->
  (forall j k, (0 <= j)%Z -> (0 <= k)%Z -> p j (k + 1)%Z = r (j + k)%Z * p j k) ->
  a n = p 0%Z n * c + zsum (fun k => p k (n - k)%Z * b k) 0 n.
Proof.
  intros Hn H0 Hs H1 Hp. pattern n. apply natlike_ind; [|intros k Hk IH|assumption].
  - rewrite zsum_last, zsum_empty by lia. rewrite Z.sub_0_r, H0, H1 by lia. ring.
  - unfold Z.succ. rewrite Hs, IH by assumption. rewrite (zsum_next _ 0 k (k + 1)) by lia.
    rewrite (zsum_ext (fun j => p j (k + 1 - j)%Z * b j) (fun j => r k * (p j (k - j)%Z * b j))).
    + rewrite zsum_scale, Z.sub_diag, (H1 (k + 1)%Z) by lia.
      replace (p 0%Z (k + 1)%Z) with (r k * p 0%Z k); [ring|].
      rewrite Hp, Z.add_0_l by lia. reflexivity.
    + intros j Hj. replace (k + 1 - j)%Z with (k - j + 1)%Z by lia. rewrite Hp by lia.
      replace (j + (k - j))%Z with k by lia. ring.
Qed.

(** * Whole powers *)

Definition powz (x : R) (n : Z) : R := x ^ Z.to_nat n.
Lemma powz_zero x : powz x 0 = 1.
Proof. reflexivity. Qed.
Lemma powz_next x n : (0 <= n)%Z -> powz x (n + 1) = x * powz x n.
Proof. intros H. unfold powz. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia. reflexivity. Qed.
Lemma powz_nonneg x n : 0 <= x -> 0 <= powz x n.
Proof. apply pow_le. Qed.
Lemma powz_pos x n : 0 < x -> 0 < powz x n.
Proof. apply pow_lt. Qed.

Lemma powz_more x n c m : (0 <= n)%Z -> m = (n + Z.of_nat c)%Z -> powz x m = x ^ c * powz x n.
Proof.
  intros H ->. unfold powz. rewrite <- pow_add. f_equal. lia.
Qed.

(** * Certificates *)

Lemma weigh m a b : 0 <= m -> a <= b -> 0 <= m * (b - a).
Proof. intros H1 H2. apply Rmult_le_pos; [assumption|lra]. Qed.
Lemma weigh_eq m a b : a = b -> m * (b - a) = 0.
Proof. intros ->. ring. Qed.
Lemma nonneg_of_zero a : a = 0 -> 0 <= a.
Proof. intros ->. apply Rle_refl. Qed.
Lemma from_gap a b s : b - a = s -> 0 <= s -> a <= b.
Proof. lra. Qed.
Lemma from_gap_eq a b s : b - a = s -> s = 0 -> a = b.
Proof. lra. Qed.
Lemma zero_plus a b : a = 0 -> b = 0 -> a + b = 0.
Proof. intros -> ->. ring. Qed.
Lemma gap_nonneg a b : a <= b -> 0 <= b - a.
Proof. lra. Qed.
Lemma gap_zero a b : a = b -> b - a = 0.
Proof. lra. Qed.
Lemma le_gap a b : 0 <= b - a -> a <= b.
Proof. lra. Qed.
Lemma sum_nonneg a b : 0 <= a -> 0 <= b -> 0 <= a + b.
Proof. lra. Qed.
Lemma root_le l s : 0 <= s -> l ^ 2 <= s ^ 2 -> l <= s.
Proof. intros. nra. Qed.
Lemma root_gap p q : 0 <= p -> q ^ 2 <= p ^ 2 -> 0 <= p - q.
Proof. intros Hp H. assert (q <= p) by (apply root_le; assumption). lra. Qed.

Lemma root_above l x : 0 <= l -> l * l <= x -> l <= sqrt x.
Proof. intros Hl H. rewrite <- (sqrt_square l Hl). apply sqrt_le_1_alt. assumption. Qed.
Lemma root_below x u : 0 <= u -> x <= u * u -> sqrt x <= u.
Proof. intros Hu H. rewrite <- (sqrt_square u Hu). apply sqrt_le_1_alt. assumption. Qed.
Lemma none_or_some n : (0 <= n)%Z -> IZR n = 0 \/ 1 <= IZR n.
Proof.
  intros H. destruct (Z.eq_dec n 0) as [->|Hn]; [left; reflexivity|right; apply (IZR_le 1); lia].
Qed.

Lemma over_nonneg a b : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros. apply Rmult_le_pos; [assumption|]. apply Rlt_le, Rinv_0_lt_compat; assumption. Qed.
Lemma over_pos a b : 0 < a -> 0 < b -> 0 < a / b.
Proof. apply Rdiv_lt_0_compat. Qed.

Lemma cleared a b : 0 < b -> 0 <= a / b -> 0 <= a.
Proof.
  intros H1 H2. replace a with (a / b * b) by (field; lra). apply Rmult_le_pos; lra.
Qed.

(** What a file knows of the signs of its own quantities. *)
Ltac given := fail.
(** Signs that the form of an expression shows. *)
Ltac pos :=
  lazymatch goal with
  | |- 0 <= ?x * ?x => apply Rle_0_sqr
  | |- 0 <= _ * _ => first [assumption | apply Rmult_le_pos; pos]
  | |- 0 < _ * _ => first [assumption | apply Rmult_lt_0_compat; pos]
  | |- 0 <= _ / _ => first [assumption | apply Rmult_le_pos; [pos | apply Rlt_le, Rinv_0_lt_compat; pos]]
  | |- 0 < _ / _ => first [assumption | apply Rdiv_lt_0_compat; pos]
  | |- 0 <= / _ => apply Rlt_le, Rinv_0_lt_compat; pos
  | |- 0 < / _ => apply Rinv_0_lt_compat; pos
  | |- 0 <= _ + _ => first [assumption | apply Rplus_le_le_0_compat; pos | lra]
  | |- 0 < _ + _ => first [assumption | apply Rplus_lt_le_0_compat; pos
                          | apply Rplus_le_lt_0_compat; pos | lra]
  | |- 0 <= _ ^ 2 => apply pow2_ge_0
  | |- 0 <= ?x ^ 4 => replace (x ^ 4) with ((x ^ 2) ^ 2) by ring; apply pow2_ge_0
  | |- 0 <= _ ^ _ => apply pow_le; pos
  | |- 0 < _ ^ _ => apply pow_lt; pos
  | |- 0 <= Rmax ?a ?b =>
      first [ apply (Rle_trans 0 a); [pos | apply Rmax_l]
            | apply (Rle_trans 0 b); [pos | apply Rmax_r] ]
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 < sqrt _ => apply sqrt_lt_R0; pos
  | |- 0 < exp _ => apply exp_pos
  | |- 0 <= exp _ => apply Rlt_le, exp_pos
  | |- 0 <= powz _ _ => apply powz_nonneg; pos
  | |- 0 < powz _ _ => apply powz_pos; pos
  | |- 0 <= dot ?u ?u => apply dot_nonneg
  | |- 0 <= mean _ _ _ => apply mean_nonneg; intros; pos
  | |- 0 <= total _ _ => apply total_nonneg; intros; pos
  | |- 0 <= zsum _ _ _ => apply zsum_nonneg; intros; pos
  | |- 0 <= IZR _ => first [assumption | apply (IZR_le 0); first [lia | solve [given]]]
  | |- 0 < IZR _ => first [assumption | apply (IZR_lt 0); lia]
  | |- 1 <= IZR _ => first [assumption | apply (IZR_le 1); lia]
  | |- _ => first [assumption | solve [given] | apply Rlt_le; solve [given] | lra]
  end.

Ltac differs :=
  lazymatch goal with
  | |- _ * _ <> 0 => apply Rmult_integral_contrapositive_currified; differs
  | |- _ ^ _ <> 0 => apply pow_nonzero; differs
  | |- _ => first [assumption | apply Rgt_not_eq; unfold Rgt; solve [pos] | solve [lra]
                  | apply Rgt_not_eq; unfold Rgt; nra | intro; nra]
  end.
(** A number under a root becomes the square of the root. *)
Ltac roots_out :=
  repeat match goal with H : ?a * ?a = ?x |- _ => is_var a; is_var x; subst x end.
Ltac fields :=
  first
    [ ring | field; repeat split; differs | progress roots_out; field; repeat split; differs
    | match goal with H : ?a * ?a = _ |- _ => is_var a;
        first [ring [H] | field [H]; repeat split; differs] end ].
(** Signs that facts show: of each factor by itself, or of the whole. *)
Ltac factors :=
  lazymatch goal with
  | |- 0 <= _ ^ 2 => apply pow2_ge_0
  | |- 0 <= _ * _ => apply Rmult_le_pos; factors
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; factors
  | |- _ => first [solve [pos] | lra | nra]
  end.
(** A sum of products of what is at least 0. *)
Ltac products :=
  lazymatch goal with
  | |- 0 <= _ + _ => apply sum_nonneg; products
  | |- _ => factors
  end.
(** Roots that are squared: what is under a root is the square of the root. *)
Ltac rooted :=
  first
    [ fields
    | repeat match goal with |- context [sqrt ?x] =>
        let r := fresh "r" in let H := fresh "R" in
        assert (H : sqrt x * sqrt x = x) by (apply sqrt_sqrt; pos);
        set (r := sqrt x) in *; clearbody r; try rewrite <- H
      end; fields ].
(** Combinations of vectors whose factors are the same numbers. *)
Ltac vectors :=
  lazymatch goal with
  | |- add _ _ = add _ _ => apply (f_equal2 add); vectors
  | |- scale _ _ = scale _ _ => apply (f_equal2 scale); [fields | vectors]
  | |- _ => reflexivity
  end.
(** What is known at a point, at the same point written in another way. *)
Ltac point V :=
  first
    [ exact V
    | lazymatch goal with |- _ ?x = _ => lazymatch type of V with _ ?y = _ =>
        replace x with y; [exact V | vectors] end end ].
Ltac sign := first [solve [pos] | lra | solve [factors] | nra].
(** The goal, which is [H] up to the form of its sides. *)
Ltac same H :=
  cbv beta in H |- *;
  first [ exact H
        | lazymatch type of H with
          | ?a <= ?b => lazymatch goal with |- ?c <= ?d =>
              apply (Rle_trans c a d); [apply Req_le; fields |
                apply (Rle_trans a b d); [exact H | apply Req_le; fields]] end
          | ?a = ?b => lazymatch goal with |- ?c = ?d =>
              apply (eq_trans (y := a)); [fields | apply (eq_trans H); fields] end
          end
        | lazymatch type of H with
          | ?a <= ?b => lazymatch goal with |- ?c <= ?d =>
              apply (from_gap c d (b - a)); [fields | lra] end
          | ?a = ?b => lazymatch goal with |- ?c = ?d =>
              apply (from_gap_eq c d (b - a)); [fields | lra] end
          end ].
(** Means, expectations and sums of [c1 * f1 + (c2 * f2 + ... + c * 1)]. *)
Ltac linear :=
  first [ apply mean_const | apply total_const | apply zsum_const; lia
        | apply mean_scale | apply total_scale | apply zsum_scale
        | etransitivity; [first [apply mean_plus | apply total_plus | apply zsum_plus]
                         | apply f_equal2; linear] ].

(** * Inequalities of vectors *)

Lemma cauchy_schwarz (V : Space) (u v : V) : dot u v ^ 2 <= dot u u * dot v v.
Proof.
  assert (forall t, 0 <= dot u u + (2 * t) * dot u v + t ^ 2 * dot v v) as Q.
  { intros t. replace (_ + _) with (dot (add u (scale t v)) (add u (scale t v))).
    - apply dot_nonneg.
    - bilinear. rewrite (dot_sym _ v u). ring. }
  destruct (Rle_lt_or_eq_dec _ _ (dot_nonneg _ v)) as [Hv | Hv].
  - specialize (Q (- (dot u v / dot v v))).
    assert (0 <= (dot u u - dot u v ^ 2 / dot v v) * dot v v).
    { apply Rmult_le_pos; [|lra].
      replace (_ - _) with (dot u u + 2 * - (dot u v / dot v v) * dot u v
        + (- (dot u v / dot v v)) ^ 2 * dot v v) by (field; lra). assumption. }
    replace ((dot u u - dot u v ^ 2 / dot v v) * dot v v)
      with (dot u u * dot v v - dot u v ^ 2) in H by (field; lra). lra.
  - rewrite <- Hv in *. destruct (Req_dec (dot u v) 0) as [->|Hn]; [lra|].
    specialize (Q (- (dot u u + 1) / (2 * dot u v))).
    replace (2 * (- (dot u u + 1) / (2 * dot u v)) * dot u v) with (- (dot u u + 1)) in Q
      by (field; assumption). lra.
Qed.

Definition minus {V : Space} (u v : V) : V := add u (scale (-1) v).

Lemma triangle (V : Space) (u v : V) (a b : R) :
  0 <= a -> 0 <= b -> dot u u <= a ^ 2 -> dot v v <= b ^ 2 ->
  dot (add u v) (add u v) <= (a + b) ^ 2.
Proof.
  intros Ha Hb Hu Hv. bilinear. rewrite (dot_sym _ v u).
  assert (dot u v <= a * b); [|nra].
  apply root_le; [apply Rmult_le_pos; assumption|].
  apply (Rle_trans _ _ _ (cauchy_schwarz V u v)).
  replace ((a * b) ^ 2) with (a ^ 2 * b ^ 2) by ring.
  apply Rmult_le_compat; auto using dot_nonneg.
Qed.

(** * Smooth functions *)

(** [df] is the gradient of [f], and L-Lipschitz. *)
Definition smooth {V : Space} (f : V -> R) (df : V -> V) (L : R) : Prop :=
  (forall x d t, derivable_pt_lim (fun s => f (add x (scale s d))) t
                   (dot (df (add x (scale t d))) d)) /\
  (forall x y, dot (minus (df x) (df y)) (minus (df x) (df y)) <=
                 L ^ 2 * dot (minus x y) (minus x y)).

Lemma lipschitz (V : Space) (f : V -> R) df L x y : smooth f df L ->
  dot (minus (df x) (df y)) (minus (df x) (df y)) <= L ^ 2 * dot (minus x y) (minus x y).
Proof. intros [_ H]. apply H. Qed.

Lemma descent (V : Space) (f : V -> R) df L x y : smooth f df L -> 0 <= L ->
  f y <= f x + dot (df x) (minus y x) + L / 2 * dot (minus y x) (minus y x).
Proof.
  intros [Hd Hl] HL. set (d := minus y x). set (q := dot d d). set (s := dot (df x) d).
  assert (0 <= q) as Hq by apply dot_nonneg.
  assert (add x (scale 1 d) = y) as E1.
  { unfold d, minus. rewrite scale_one, add_comm, <- add_assoc, (add_comm _ _ x).
    rewrite <- (scale_one _ x) at 1. rewrite <- add_scale.
    replace (1 + -1) with 0 by ring. rewrite scale_zero, add_zero. reflexivity. }
  assert (add x (scale 0 d) = x) as E0 by (rewrite scale_zero, add_zero; reflexivity).
  pose (phi := fun t => f (add x (scale t d)) - (t * s + L / 2 * q * (t * t))).
  pose (slope := fun t => dot (df (add x (scale t d))) d - (s + L / 2 * q * (2 * t))).
  assert (forall t, derivable_pt_lim phi t (slope t)) as Hphi.
  { intros t. unfold phi, slope. apply derivable_pt_lim_minus; [apply Hd|].
    apply derivable_pt_lim_plus.
    - pose proof (derivable_pt_lim_mult (fun t => t) (fun _ => s) t 1 0
        (derivable_pt_lim_id t) (derivable_pt_lim_const s t)) as D.
      cbv beta in D. replace (1 * s + t * 0) with s in D by ring. exact D.
    - pose proof (derivable_pt_lim_mult (fun t => t) (fun t => t) t 1 1
        (derivable_pt_lim_id t) (derivable_pt_lim_id t)) as D.
      cbv beta in D. replace (1 * t + t * 1) with (2 * t) in D by ring.
      exact (derivable_pt_lim_scal _ (L / 2 * q) _ _ D). }
  assert (forall t, 0 <= t -> slope t <= 0) as Hs.
  { intros t Ht. unfold slope. set (z := add x (scale t d)).
    assert (dot (minus (df z) (df x)) d <= L * t * q) as B.
    { apply root_le; [pos|].
      apply (Rle_trans _ _ _ (cauchy_schwarz _ _ _)). fold q.
      replace ((L * t * q) ^ 2) with ((L ^ 2 * (t ^ 2 * q)) * q) by ring.
      apply Rmult_le_compat_r; [assumption|].
      apply (Rle_trans _ _ _ (Hl z x)). apply Rmult_le_compat_l; [pos|].
      apply Req_le. unfold z, minus. bilinear. rewrite !(dot_sym _ d x). fold q. ring. }
    unfold minus in B. rewrite dot_add, dot_scale in B. fold s in B. lra. }
  destruct (MVT_cor2 phi slope 0 1) as [c [Hc [Hc0 Hc1]]]; [lra | intros; apply Hphi |].
  specialize (Hs c ltac:(lra)). unfold phi in Hc. rewrite E0, E1 in Hc. lra.
Qed.
