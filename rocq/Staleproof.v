(** What exported theorems rest on: inner products, means, sums over integers, and the kernel's rules.

    Everything is proved here from the standard real numbers. An exported theorem quantifies over all
    spaces, means and laws below, so it holds for every instance of them. *)

From Coq Require Export Reals ZArith Lra Lia Psatz.
From Coq Require Import List.
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

(** A quadratic that is nowhere below 0. *)
Lemma discriminant a b c :
  0 <= c -> (forall t, 0 <= a + (2 * t) * b + t ^ 2 * c) -> b ^ 2 <= a * c.
Proof.
  intros H0 Q. destruct (Rle_lt_or_eq_dec _ _ H0) as [Hc | Hc].
  - specialize (Q (- (b / c))).
    assert (0 <= (a - b ^ 2 / c) * c) as H.
    { apply Rmult_le_pos; [|lra].
      replace (a - b ^ 2 / c) with (a + 2 * - (b / c) * b + (- (b / c)) ^ 2 * c) by (field; lra).
      assumption. }
    replace ((a - b ^ 2 / c) * c) with (a * c - b ^ 2) in H by (field; lra). lra.
  - rewrite <- Hc in *. destruct (Req_dec b 0) as [->|Hn]; [lra|].
    specialize (Q (- (a + 1) / (2 * b))).
    replace (2 * (- (a + 1) / (2 * b)) * b) with (- (a + 1)) in Q by (field; assumption). lra.
Qed.

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

(** Cauchy and Schwarz, of means. *)
Lemma mean_schwarz w (a b c : W -> R) :
  (forall v t, 0 <= a v + (2 * t) * b v + t ^ 2 * c v) -> (forall v, 0 <= c v) ->
  mean M w b ^ 2 <= mean M w a * mean M w c.
Proof.
  intros Q C. apply discriminant; [apply mean_nonneg; intros v _; apply C |].
  intros t. assert (0 <= mean M w (fun v => (a v + (2 * t) * b v) + t ^ 2 * c v)) as D.
  { apply mean_nonneg. intros v _. apply Q. }
  rewrite !mean_plus, !mean_scale in D. exact D.
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
(** Where the first iteration takes nothing of what is before it, nothing is asked of that. *)
Lemma recurrence_first (a B r : Z -> R) (n : Z) :
  (1 <= n)%Z -> r 0%Z = 0 -> (forall k, (0 <= k)%Z -> 0 <= r k) ->
  (forall k, (0 <= k)%Z -> 0 <= r k * (B k - a k) -> a (k + 1)%Z <= B (k + 1)%Z) -> a n <= B n.
Proof.
  intros Hn H0 Hr Hs. replace n with (n - 1 + 1)%Z by lia.
  apply (recurrence (fun k => a (k + 1)%Z) (fun k => B (k + 1)%Z)); [lia|apply (Hs 0%Z)|].
  - lia.
  - rewrite H0, Rmult_0_l. apply Rle_refl.
  - intros k Hk IH. apply (Hs (k + 1)%Z); [lia|].
    apply Rmult_le_pos; [apply Hr; lia|]. lra.
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
Lemma powz_one n : powz 1 n = 1.
Proof. apply pow1. Qed.
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

Lemma roots_gap p r x q s y : 0 <= p -> 0 <= r -> r * r = x -> s * s = y ->
  0 <= p ^ 2 * x - q ^ 2 * y -> 0 <= p * r - q * s.
Proof.
  intros Hp Hr <- <- H. apply root_gap; [apply Rmult_le_pos; assumption|]. lra.
Qed.
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

(** A root of any degree: of what is not above 0 it is 0. *)
Definition nroot (n : nat) (x : R) : R := if Rlt_dec 0 x then exp (ln x / INR n) else 0.
Lemma nroot_pos n x : 0 < x -> 0 < nroot n x.
Proof. intros H. unfold nroot. destruct (Rlt_dec 0 x); [apply exp_pos|contradiction]. Qed.
Lemma nroot_nonneg n x : 0 <= nroot n x.
Proof. unfold nroot. destruct (Rlt_dec 0 x); [apply Rlt_le, exp_pos|lra]. Qed.
Lemma nroot_pow n x : (0 < n)%nat -> 0 <= x -> nroot n x ^ n = x.
Proof.
  intros Hn Hx. unfold nroot. destruct (Rlt_dec 0 x) as [H|H].
  - rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp.
    replace (INR n * (ln x / INR n)) with (ln x) by (field; apply not_0_INR; lia).
    apply exp_ln. assumption.
  - rewrite pow_ne_zero by lia. lra.
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
  | |- 0 <= nroot _ _ => apply nroot_nonneg
  | |- 0 < nroot _ _ => apply nroot_pos; pos
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
  repeat match goal with
    | H : ?a * ?a = ?x |- _ => is_var a; is_var x; subst x
    | H : ?a ^ _ = ?x |- _ => is_var a; is_var x; subst x
    end.
Ltac fields :=
  first
    [ ring | field; repeat split; differs | progress roots_out; field; repeat split; differs
    | match goal with
      | H : ?a * ?a = _ |- _ => is_var a; first [ring [H] | field [H]; repeat split; differs]
      | H : ?a ^ _ = _ |- _ => is_var a; first [ring [H] | field [H]; repeat split; differs]
      end ].
(** A last or first term of a sum, as it is written at its index. *)
Ltac moved :=
  first [ fields | rewrite ?plus_IZR;
    repeat match goal with |- context [ln ?a] => match goal with |- context [ln ?b] =>
      tryif constr_eq a b then fail else replace (ln a) with (ln b) by (f_equal; ring) end end;
    first [fields | f_equal; f_equal; ring] ].
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
  | |- 0 < _ + _ => first [apply Rplus_lt_le_0_compat; [solve [factors] | products]
                          | apply Rplus_le_lt_0_compat; [solve [factors] | products]]
  | |- _ => factors
  end.
(** Roots that are squared: what is under a root is the square of the root. *)
Ltac known_root root how :=
  let r := fresh "r" in let H := fresh "R" in let S := fresh "S" in
  pose proof how as H; try assert (S : 0 < root) by pos;
  set (r := root) in *; clearbody r; try rewrite <- H.
Ltac rooted :=
  first
    [ fields
    | repeat match goal with
        | |- context [sqrt ?x] => known_root (sqrt x) (sqrt_sqrt x ltac:(pos))
        | |- context [nroot ?n ?x] => known_root (nroot n x) (nroot_pow n x ltac:(lia) ltac:(pos))
        end; fields ].
(** Combinations of vectors with the same factor for each, in whatever order they are written. *)
Inductive combination :=
  | none | one_of (n : nat) | both (e1 e2 : combination) | times (c : R) (e : combination).
Fixpoint combined {V : Space} (l : list V) (e : combination) : V :=
  match e with
  | none => zero | one_of n => nth n l zero
  | both e1 e2 => add (combined l e1) (combined l e2) | times c e => scale c (combined l e)
  end.
Fixpoint factor (e : combination) (n : nat) : R :=
  match e with
  | none => 0 | one_of m => if Nat.eqb n m then 1 else 0
  | both e1 e2 => factor e1 n + factor e2 n | times c e => c * factor e n
  end.
Fixpoint weighed {V : Space} (l : list V) (f : nat -> R) : V :=
  match l with nil => zero | cons v m => add (scale (f O) v) (weighed m (fun n => f (S n))) end.
Lemma add_swap (V : Space) (a b c d : V) : add (add a b) (add c d) = add (add a c) (add b d).
Proof.
  rewrite <- !add_assoc. f_equal. rewrite !add_assoc. f_equal. apply add_comm.
Qed.
Lemma scale_none (V : Space) c : scale c (@zero V) = zero.
Proof. rewrite <- (scale_zero V zero) at 1. rewrite scale_scale, Rmult_0_r. apply scale_zero. Qed.
Lemma weighed_zero (V : Space) (l : list V) f : (forall n, f n = 0) -> weighed l f = zero.
Proof.
  revert f. induction l as [|v l IH]; intros f H; [reflexivity|]. simpl.
  rewrite H, scale_zero, IH by auto. apply add_zero.
Qed.
Lemma weighed_add (V : Space) (l : list V) f g :
  weighed l (fun n => f n + g n) = add (weighed l f) (weighed l g).
Proof.
  revert f g. induction l as [|v l IH]; intros f g; simpl; [symmetry; apply add_zero|].
  rewrite IH, add_scale. apply add_swap.
Qed.
Lemma weighed_scale (V : Space) (l : list V) c f :
  weighed l (fun n => c * f n) = scale c (weighed l f).
Proof.
  revert f. induction l as [|v l IH]; intros f; simpl; [symmetry; apply scale_none|].
  rewrite IH, scale_add, scale_scale. reflexivity.
Qed.
Lemma weighed_one (V : Space) (l : list V) m :
  weighed l (fun n => if Nat.eqb n m then 1 else 0) = nth m l zero.
Proof.
  revert m. induction l as [|v l IH]; intros [|m]; simpl; try reflexivity.
  - rewrite scale_one, weighed_zero by reflexivity. apply add_zero.
  - rewrite IH, scale_zero, add_comm. apply add_zero.
Qed.
Lemma combined_weighed (V : Space) (l : list V) e : combined l e = weighed l (factor e).
Proof.
  induction e as [|m|e1 H1 e2 H2|c e H]; simpl.
  - symmetry. apply weighed_zero. reflexivity.
  - symmetry. apply weighed_one.
  - rewrite H1, H2. symmetry. apply weighed_add.
  - rewrite H. symmetry. apply weighed_scale.
Qed.
Fixpoint alike (f g : nat -> R) (n : nat) : Prop :=
  match n with O => True | S m => f O = g O /\ alike (fun i => f (S i)) (fun i => g (S i)) m end.
Lemma same_combination (V : Space) (l : list V) e1 e2 :
  alike (factor e1) (factor e2) (length l) -> combined l e1 = combined l e2.
Proof.
  rewrite !combined_weighed. generalize (factor e1) as f, (factor e2) as g.
  induction l as [|v l IH]; intros f g H; [reflexivity|]. simpl in *. destruct H as [-> H].
  rewrite (IH _ _ H). reflexivity.
Qed.
Ltac place v l :=
  lazymatch l with
  | cons v _ => constr:(O)
  | cons _ ?m => let n := place v m in constr:(S n)
  end.
Ltac listed v l :=
  lazymatch l with
  | context [cons v _] => l
  | _ => constr:(cons v l)
  end.
Ltac vectors_in t l :=
  lazymatch t with
  | zero => l
  | add ?u ?v => let m := vectors_in u l in vectors_in v m
  | scale _ ?u => vectors_in u l
  | ?v => listed v l
  end.
Ltac read t l :=
  lazymatch t with
  | zero => constr:(none)
  | add ?u ?v => let a := read u l in let b := read v l in constr:(both a b)
  | scale ?c ?u => let a := read u l in constr:(times c a)
  | ?v => let n := place v l in constr:(one_of n)
  end.
Ltac vectors :=
  lazymatch goal with
  | |- @eq ?T ?u ?v =>
      let l := vectors_in u (@nil T) in let l := vectors_in v l in
      let a := read u l in let b := read v l in
      change (combined l a = combined l b); apply same_combination; simpl;
      repeat split; rewrite ?plus_IZR, ?mult_IZR, ?opp_IZR; fields
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
              apply (eq_trans (y := a)); [fields | first [exact H | apply (eq_trans H); fields]] end
          end
        | lazymatch type of H with
          | ?a <= ?b => lazymatch goal with |- ?c <= ?d =>
              apply (from_gap c d (b - a)); [fields | lra] end
          | ?a = ?b => lazymatch goal with |- ?c = ?d =>
              apply (from_gap_eq c d (b - a)); [fields | lra] end
          end ].
(** Roots of numbers that are written in another way in [D]. *)
Ltac roots_as D :=
  repeat match goal with |- context [sqrt ?a] =>
    match type of D with context [sqrt ?b] =>
      tryif constr_eq a b then fail else replace (sqrt a) with (sqrt b) by (f_equal; ring)
    end end.
(** Logarithms likewise. *)
Ltac logs_as D :=
  repeat match goal with |- context [ln ?a] =>
    match type of D with context [ln ?b] =>
      tryif constr_eq a b then fail else replace (ln a) with (ln b) by (f_equal; ring) end end.
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
  apply discriminant; [apply dot_nonneg | exact Q].
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

(** The same of [-f], which is as smooth. *)
Lemma support (V : Space) (f : V -> R) df L x y : smooth f df L -> 0 <= L ->
  f x + dot (df x) (minus y x) - L / 2 * dot (minus y x) (minus y x) <= f y.
Proof.
  intros [Hd Hl] HL.
  assert (smooth (fun z => - f z) (fun z => scale (-1) (df z)) L) as H.
  { split.
    - intros z d t. rewrite dot_scale.
      replace (-1 * dot (df (add z (scale t d))) d) with (- dot (df (add z (scale t d))) d) by ring.
      exact (derivable_pt_lim_opp _ _ _ (Hd z d t)).
    - intros z w. eapply Rle_trans; [|apply (Hl z w)]. apply Req_le. unfold minus. bilinear. ring. }
  pose proof (descent V _ _ L x y H HL) as D. cbv beta in D. rewrite dot_scale in D. lra.
Qed.

(** * Exponentials, logarithms and powers: the kernel's list *)

Lemma el_exp_tangent x y : exp x * (1 + y - x) <= exp y.
Proof.
  replace (exp y) with (exp x * exp (y - x)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
  pose proof (exp_ineq1_le (y - x)). lra.
Qed.
Lemma el_exp_sum x y s : s = x + y -> exp s = exp x * exp y.
Proof. intros ->. apply exp_plus. Qed.
Lemma el_exp_power x n s : (0 <= n)%Z -> s = IZR n * x -> exp s = powz (exp x) n.
Proof.
  intros H ->. pattern n. apply natlike_ind; [|intros k Hk IH|assumption].
  - rewrite Rmult_0_l, exp_0. reflexivity.
  - unfold Z.succ. rewrite powz_next, <- IH, <- exp_plus, plus_IZR by assumption. f_equal. ring.
Qed.
Lemma el_exp_grows x y : 0 <= y - x -> exp x <= exp y.
Proof.
  intros H. pose proof (el_exp_tangent x y). pose proof (exp_pos x).
  assert (0 <= exp x * (y - x)) by (apply Rmult_le_pos; lra). nra.
Qed.
Lemma el_exp_of_log x : 0 < x -> exp (ln x) = x.
Proof. apply exp_ln. Qed.
Lemma el_log_of_exp x : ln (exp x) = x.
Proof. apply ln_exp. Qed.
Lemma el_log_tangent x y : 0 < x -> 0 < y -> ln y <= ln x + y / x - 1.
Proof.
  intros Hx Hy. pose proof (el_exp_tangent (ln x) (ln y)) as E. rewrite !exp_ln in E by assumption.
  assert (1 + ln y - ln x <= y / x); [|lra].
  apply (Rmult_le_reg_l x); [assumption|]. replace (x * (y / x)) with y by (field; lra). exact E.
Qed.
Lemma el_log_product x y p : 0 < x -> 0 < y -> p = x * y -> ln p = ln x + ln y.
Proof. intros Hx Hy ->. apply ln_mult; assumption. Qed.
Lemma el_log_grows x y : 0 <= y - x -> 0 < x -> ln x <= ln y.
Proof.
  intros H Hx. destruct (Req_dec x y) as [<-|Hn]; [apply Rle_refl|].
  apply Rlt_le, ln_increasing; lra.
Qed.
Lemma el_halving x z m : 0 <= x - ln z -> 0 < z -> m = - x -> z * exp m <= 1.
Proof.
  intros H Hz ->. rewrite <- (exp_ln z Hz) at 1. rewrite <- exp_plus, <- exp_0. apply el_exp_grows. lra.
Qed.
Lemma el_power_sign x n : 0 <= x -> (0 <= n)%Z -> 0 <= powz x n.
Proof. intros H _. apply powz_nonneg. assumption. Qed.
Lemma el_power_grows x y n : 0 <= x -> 0 <= y - x -> (0 <= n)%Z -> powz x n <= powz y n.
Proof. intros. apply pow_incr. lra. Qed.
Lemma el_decay a n p e : 0 <= 1 - a -> (0 <= n)%Z -> p = 1 - a -> e = - a * IZR n ->
  powz p n <= exp e.
Proof.
  intros Ha Hn -> ->. rewrite (el_exp_power (- a) n _ Hn) by ring. apply el_power_grows; [assumption| |assumption].
  pose proof (exp_ineq1_le (- a)). lra.
Qed.
Lemma el_bernoulli x n p : 0 <= 1 + x -> (0 <= n)%Z -> p = 1 + x -> 1 + IZR n * x <= powz p n.
Proof.
  intros Hx Hn ->. pattern n. apply natlike_ind; [|intros k Hk IH|assumption].
  - rewrite powz_zero. lra.
  - unfold Z.succ. rewrite powz_next, plus_IZR by assumption.
    apply (Rmult_le_compat_l (1 + x)) in IH; [|assumption].
    assert (0 <= IZR k) by (apply (IZR_le 0); assumption).
    assert (0 <= IZR k * (x * x)) by (apply Rmult_le_pos; [assumption|apply Rle_0_sqr]). nra.
Qed.
Lemma el_bernoulli_inverse a n p : 0 <= a -> 0 <= 1 - a -> (0 <= n)%Z -> p = 1 - a ->
  (1 + IZR n * a) * powz p n <= 1.
Proof.
  intros Ha H1 Hn ->. pose proof (powz_nonneg (1 - a) n H1) as Hp.
  apply (Rle_trans _ (powz (1 + a) n * powz (1 - a) n)).
  - apply Rmult_le_compat_r; [assumption|]. apply el_bernoulli; [lra|assumption|reflexivity].
  - assert (forall c, (1 + a) ^ c * (1 - a) ^ c <= 1) as Q.
    { induction c as [|c IH]; [simpl; lra|]. simpl.
      replace ((1 + a) * (1 + a) ^ c * ((1 - a) * (1 - a) ^ c))
        with ((1 - a * a) * ((1 + a) ^ c * (1 - a) ^ c)) by ring.
      assert (0 <= (1 + a) ^ c * (1 - a) ^ c) by (apply Rmult_le_pos; apply pow_le; lra). nra. }
    apply Q.
Qed.

(** * Stale iterates *)

(** A term is one of the last [d] in at most [d] iterations. *)
Lemma zsum_shift f s a b : zsum (fun k => f (k - s)%Z) a b = zsum f (a - s) (b - s).
Proof.
  unfold zsum. replace (b - s - (a - s) + 1)%Z with (b - a + 1)%Z by lia.
  induction (Z.to_nat (b - a + 1)) as [|n IH]; [reflexivity|]. simpl. rewrite IH. do 2 f_equal. lia.
Qed.
Lemma zsum_less (f : Z -> R) a b c : (forall i, (a <= i <= b)%Z -> 0 <= f i) -> (a <= c)%Z ->
  zsum f c b <= zsum f a b.
Proof.
  intros Hf Hc. replace c with (a + (c - a))%Z by lia. assert (0 <= c - a)%Z as Hd by lia.
  revert Hd. generalize (c - a)%Z as d. clear c Hc. intros d Hd. pattern d.
  apply natlike_ind; [rewrite Z.add_0_r; apply Rle_refl|intros m Hm IH|assumption].
  eapply Rle_trans; [|exact IH]. unfold Z.succ.
  replace (a + (m + 1))%Z with (a + m + 1)%Z by lia. set (x := (a + m + 1)%Z).
  replace (a + m)%Z with (x - 1)%Z by lia. assert (a <= x - 1)%Z by lia.
  destruct (Z_lt_le_dec b (x - 1)) as [Hb|Hb].
  - rewrite !zsum_empty by lia. apply Rle_refl.
  - rewrite (zsum_first f (x - 1)) by lia. replace (x - 1 + 1)%Z with x by lia.
    specialize (Hf (x - 1)%Z ltac:(lia)). lra.
Qed.
Lemma zsum_fewer (f : Z -> R) a b c : (forall i, (a <= i <= b)%Z -> 0 <= f i) -> (c <= b)%Z ->
  zsum f a c <= zsum f a b.
Proof.
  intros Hf Hc. revert c Hc. intros c Hc.
  replace c with (b - (b - c))%Z by lia. assert (0 <= b - c)%Z as Hd by lia. revert Hd.
  generalize (b - c)%Z as d. clear c Hc. intros d Hd. pattern d.
  apply natlike_ind; [rewrite Z.sub_0_r; apply Rle_refl|intros x Hx IH|assumption].
  eapply Rle_trans; [|exact IH]. unfold Z.succ.
  destruct (Z_lt_le_dec (b - x) a) as [Hb|Hb].
  - rewrite !zsum_empty by lia. apply Rle_refl.
  - rewrite (zsum_last f a (b - x)) by lia. replace (b - x - 1)%Z with (b - (x + 1))%Z by lia.
    specialize (Hf (b - x)%Z ltac:(lia)). lra.
Qed.

Definition window (a : Z -> R) (d k : Z) : R := zsum a (Z.max 0 (k - d)) (k - 1).

Lemma windows (a : Z -> R) (d n : Z) : (0 <= d)%Z -> (forall i, (0 <= i)%Z -> 0 <= a i) ->
  zsum (fun k => window a d k) 0 (n - 1) <= IZR d * zsum a 0 (n - 1).
Proof.
  intros Hd Ha. pattern d. apply natlike_ind; [|intros s Hs IH|assumption].
  - rewrite Rmult_0_l. apply Req_le. rewrite (zsum_ext _ (fun _ => 0 * 1)).
    + rewrite zsum_scale. ring.
    + intros i Hi. unfold window. rewrite zsum_empty by lia. ring.
  - unfold Z.succ. rewrite plus_IZR.
    destruct (Z_lt_le_dec n 1) as [Hn|Hn]; [rewrite !zsum_empty by lia; lra|].
    apply (Rle_trans _ (zsum (fun k => window a s k) 0 (n - 1)
      + zsum (fun k => a (k - (s + 1))%Z) (s + 1) (n - 1))).
    + destruct (Z_lt_le_dec (n - 1) (s + 1)) as [Hb|Hb].
      * rewrite (zsum_empty (fun k => a (k - (s + 1))%Z)) by lia. rewrite Rplus_0_r.
        apply Req_le, zsum_ext. intros i Hi. unfold window. f_equal. lia.
      * assert (forall m, (0 <= m)%Z -> zsum (fun k => window a (s + 1) k) 0 m <=
          zsum (fun k => window a s k) 0 m + zsum (fun k => a (k - (s + 1))%Z) (s + 1) m) as Q.
        { intros m Hm. pattern m. apply natlike_ind; [|intros x Hx IHx|assumption].
          - rewrite !(zsum_last _ 0 0), !zsum_empty by lia. unfold window.
            rewrite !zsum_empty by lia. lra.
          - unfold Z.succ. rewrite !(zsum_next _ 0 x (x + 1)) by lia.
            destruct (Z_lt_le_dec x s) as [Hxs|Hxs].
            + rewrite (zsum_empty _ (s + 1)) by lia. rewrite (zsum_empty _ (s + 1)) in IHx by lia.
              replace (window a (s + 1) (x + 1)) with (window a s (x + 1)); [lra|].
              unfold window. f_equal. lia.
            + rewrite (zsum_next _ (s + 1) x (x + 1)) by lia.
              assert (window a (s + 1) (x + 1) = a (x + 1 - (s + 1))%Z + window a s (x + 1)); [|lra].
              unfold window. rewrite zsum_first by lia.
              replace (Z.max 0 (x + 1 - (s + 1))) with (x + 1 - (s + 1))%Z by lia.
              do 2 f_equal. lia. }
        apply Q. lia.
    + rewrite zsum_shift. replace (s + 1 - (s + 1))%Z with 0%Z by lia.
      assert (zsum a 0 (n - 1 - (s + 1)) <= zsum a 0 (n - 1)); [|lra].
      apply zsum_fewer; [intros; apply Ha; lia | lia].
Qed.
Lemma window_each (a : Z -> R) (d k : Z) (m : R) : (0 <= d)%Z -> (0 <= k)%Z ->
  (forall i, (0 <= i)%Z -> 0 <= a i) -> (forall i, (0 <= i)%Z -> a i <= m) ->
  window a d k <= IZR d * m.
Proof.
  intros Hd Hk Ha Hm. assert (0 <= m) as H0 by (apply (Rle_trans _ (a 0%Z)); auto with zarith).
  apply (Rle_trans _ (zsum (fun _ => m * 1) (Z.max 0 (k - d)) (k - 1))).
  - apply zsum_le. intros i Hi. rewrite Rmult_1_r. apply Hm. lia.
  - rewrite zsum_const by lia. rewrite (Rmult_comm (IZR d)). apply Rmult_le_compat_l; [assumption|].
    rewrite <- minus_IZR, <- plus_IZR. apply IZR_le. lia.
Qed.

(** Late by exactly [d], summed: the same terms, and the first of them [d] times more. *)
Lemma reread (late now : Z -> R) (d n : Z) : (0 <= d)%Z -> (0 <= n)%Z ->
  (forall k, (0 <= k)%Z -> late k = now (Z.max 0 (k - d))) -> (forall k, (0 <= k)%Z -> 0 <= now k) ->
  zsum late 0 (n - 1) <= IZR d * now 0%Z + zsum now 0 (n - 1).
Proof.
  intros Hd Hn Hl H0.
  assert (zsum late 0 (n - 1) <= IZR d * now 0%Z + zsum now 0 (n - 1 - d)) as Q.
  - assert (0 <= IZR d) by (apply (IZR_le 0); assumption).
    pattern n. apply natlike_ind; [|intros k Hk IH|assumption].
    + rewrite !zsum_empty by lia. specialize (H0 0%Z ltac:(lia)). nra.
    + unfold Z.succ. destruct (Z_lt_le_dec k d) as [Hkd|Hkd].
      * rewrite (zsum_empty now) by lia.
        apply (Rle_trans _ (zsum (fun _ => now 0%Z * 1) 0 (k + 1 - 1))).
        -- apply Req_le, zsum_ext. intros i Hi. rewrite Hl by lia.
           replace (Z.max 0 (i - d)) with 0%Z by lia. ring.
        -- rewrite zsum_const by lia. rewrite <- minus_IZR, <- plus_IZR, Rplus_0_r, Rmult_comm.
           apply Rmult_le_compat_r; [apply H0; lia|]. apply IZR_le. lia.
      * rewrite (zsum_next late 0 (k - 1) (k + 1 - 1)), (zsum_next now 0 (k - 1 - d) (k + 1 - 1 - d)) by lia.
        rewrite Hl by lia. replace (Z.max 0 (k + 1 - 1 - d)) with (k + 1 - 1 - d)%Z by lia. lra.
  - apply (Rle_trans _ _ _ Q). assert (zsum now 0 (n - 1 - d) <= zsum now 0 (n - 1)); [|lra].
    apply zsum_fewer; [intros; apply H0; lia | lia].
Qed.

(** No further away than the moves since. *)
Lemma moves (V : Space) (x : Z -> V) (j k : Z) : (j <= k)%Z ->
  dot (minus (x k) (x j)) (minus (x k) (x j)) <=
    IZR (k - j) * zsum (fun i => dot (minus (x (i + 1)%Z) (x i)) (minus (x (i + 1)%Z) (x i))) j (k - 1).
Proof.
  intros H. replace k with (j + (k - j))%Z at 1 2 4 by lia. replace (k - 1)%Z with (j + (k - j) - 1)%Z by lia.
  assert (0 <= k - j)%Z as Hd by lia. revert Hd. generalize (k - j)%Z as n. clear H k. intros n Hn.
  pattern n. apply natlike_ind; [|intros m Hm IH|assumption].
  - rewrite Z.add_0_r, Rmult_0_l. apply Req_le. unfold minus. bilinear. ring.
  - unfold Z.succ. replace (j + (m + 1) - 1)%Z with (j + m)%Z by lia.
    rewrite (zsum_next _ j (j + m - 1) (j + m)) by lia.
    replace (j + (m + 1))%Z with (j + m + 1)%Z by lia. rewrite plus_IZR.
    set (u := minus (x (j + m)%Z) (x j)) in *. set (v := minus (x (j + m + 1)%Z) (x (j + m)%Z)).
    set (s := zsum _ j (j + m - 1)) in *.
    replace (dot (minus (x (j + m + 1)%Z) (x j)) (minus (x (j + m + 1)%Z) (x j)))
      with (dot u u + 2 * dot u v + dot v v)
      by (unfold u, v, minus; bilinear; rewrite (dot_sym _ (x j) (x (j + m)%Z)),
          ?(dot_sym _ (x j) (x (j + m + 1)%Z)), ?(dot_sym _ (x (j + m + 1)%Z) (x (j + m)%Z)); ring).
    destruct (Z.eq_dec m 0) as [->|H0].
    + rewrite Rmult_0_l in IH. pose proof (dot_nonneg _ u) as Hu. pose proof (cauchy_schwarz _ u v) as C.
      assert (dot u u = 0) as E by lra. rewrite E, Rmult_0_l in C.
      assert (dot u v = 0) by nra.
      assert (0 <= s) by (apply zsum_nonneg; intros; apply dot_nonneg). lra.
    + assert (1 <= IZR m) as H1 by (apply (IZR_le 1); lia).
      assert (2 * dot u v <= / IZR m * dot u u + IZR m * dot v v) as Y.
      { pose proof (dot_nonneg _ (minus u (scale (IZR m) v))) as D. unfold minus in D. revert D. bilinear.
        rewrite (dot_sym _ v u). intros D.
        apply (Rmult_le_reg_l (IZR m)); [lra|].
        replace (IZR m * (/ IZR m * dot u u + IZR m * dot v v))
          with (dot u u + IZR m * IZR m * dot v v) by (field; lra). nra. }
      assert (/ IZR m * dot u u <= s) as Z.
      { apply (Rmult_le_reg_l (IZR m)); [lra|].
        replace (IZR m * (/ IZR m * dot u u)) with (dot u u) by (field; lra). exact IH. }
      fold v. nra.
Qed.
Lemma drift_window (V : Space) (x : Z -> V) (d j k : Z) : (0 <= k)%Z -> (Z.max 0 (k - d) <= j <= k)%Z ->
  dot (minus (x k) (x j)) (minus (x k) (x j)) <=
    IZR d * window (fun i => dot (minus (x (i + 1)%Z) (x i)) (minus (x (i + 1)%Z) (x i))) d k.
Proof.
  intros Hk Hj. apply (Rle_trans _ _ _ (moves V x j k ltac:(lia))). unfold window.
  set (f := fun i => dot (minus (x (i + 1)%Z) (x i)) (minus (x (i + 1)%Z) (x i))).
  assert (forall i, 0 <= f i) as Hf by (intros; apply dot_nonneg).
  apply Rmult_le_compat.
  - apply (IZR_le 0). lia.
  - apply zsum_nonneg. auto.
  - apply IZR_le. lia.
  - apply zsum_less; [auto | lia].
Qed.
Lemma drift_each (V : Space) (x : Z -> V) (d j k : Z) (m : R) :
  (0 <= k)%Z -> (Z.max 0 (k - d) <= j <= k)%Z ->
  (forall i, (0 <= i)%Z -> dot (minus (x (i + 1)%Z) (x i)) (minus (x (i + 1)%Z) (x i)) <= m) ->
  dot (minus (x k) (x j)) (minus (x k) (x j)) <= IZR d ^ 2 * m.
Proof.
  intros Hk Hj Hm. apply (Rle_trans _ _ _ (drift_window V x d j k Hk Hj)).
  replace (IZR d ^ 2 * m) with (IZR d * (IZR d * m)) by ring.
  apply Rmult_le_compat_l; [apply (IZR_le 0); lia|].
  apply window_each; auto; [lia | intros; apply dot_nonneg].
Qed.
Lemma total_zsum (W : Type) (P : Law W) (f : Z -> W -> R) a b :
  total P (fun w => zsum (fun i => f i w) a b) = zsum (fun i => total P (f i)) a b.
Proof.
  unfold zsum. induction (Z.to_nat _) as [|n IH]; simpl.
  - rewrite (total_ext _ _ _ (fun _ => 0 * 1)) by (intros; ring). rewrite total_scale. ring.
  - rewrite total_plus, IH. reflexivity.
Qed.
Lemma total_drift_window (V : Space) (W : Type) (P : Law W) (x xl : Z -> W -> V) (d k : Z) :
  (0 <= k)%Z ->
  (forall w, exists j, (Z.max 0 (k - d) <= j <= k)%Z /\ xl k w = x j w) ->
  total P (fun w => dot (minus (x k w) (xl k w)) (minus (x k w) (xl k w))) <=
    IZR d * window (fun i => total P (fun w =>
      dot (minus (x (i + 1)%Z w) (x i w)) (minus (x (i + 1)%Z w) (x i w)))) d k.
Proof.
  intros Hk Hj. unfold window. rewrite <- total_zsum, <- total_scale. apply total_le. intros w.
  destruct (Hj w) as (j & H & ->). exact (drift_window V (fun i => x i w) d j k Hk H).
Qed.

(** The kernel's rules of stale iterates: [xl] is what [x] was at most [d] iterations ago, [far] is
    the expectation of how far that is, and [c] times [step] that of a move. *)
Section Late.
Variables (V : Space) (W : Type) (P : Law W) (x xl : Z -> W -> V) (d : Z) (far step : Z -> R) (c : R).
Hypothesis delay : (0 <= d)%Z.
Hypothesis stale : forall k, (0 <= k)%Z -> forall w,
  exists j, (Z.max 0 (k - d) <= j <= k)%Z /\ xl k w = x j w.
Hypothesis is_far : forall k, (0 <= k)%Z ->
  far k = total P (fun w => dot (minus (x k w) (xl k w)) (minus (x k w) (xl k w))).
Hypothesis is_step : forall k, (0 <= k)%Z ->
  total P (fun w => dot (minus (x (k + 1)%Z w) (x k w)) (minus (x (k + 1)%Z w) (x k w))) = c * step k.

Let moved i :=
  total P (fun w => dot (minus (x (i + 1)%Z w) (x i w)) (minus (x (i + 1)%Z w) (x i w))).
Lemma drift_windows k : (0 <= k)%Z ->
  far k <= c * IZR d * zsum step (Z.max 0 (k - d)) (k - 1).
Proof.
  intros Hk. rewrite is_far by assumption.
  apply (Rle_trans _ _ _ (total_drift_window V W P x xl d k Hk (stale k Hk))). apply Req_le.
  rewrite (Rmult_comm c), Rmult_assoc, <- zsum_scale. f_equal. unfold window.
  apply zsum_ext. intros i Hi. apply is_step. lia.
Qed.
Lemma drift_sum n : (0 <= n)%Z ->
  zsum far 0 (n - 1) <= c * IZR d ^ 2 * zsum step 0 (n - 1).
Proof.
  intros Hn. apply (Rle_trans _ (zsum (fun k => IZR d * window moved d k) 0 (n - 1))).
  - apply zsum_le. intros k Hk. rewrite is_far by lia.
    apply (total_drift_window V W P x xl d k ltac:(lia) (stale k ltac:(lia))).
  - rewrite zsum_scale.
    replace (c * IZR d ^ 2 * zsum step 0 (n - 1)) with (IZR d * (IZR d * zsum moved 0 (n - 1))).
    + apply Rmult_le_compat_l; [apply (IZR_le 0); lia|].
      apply windows; [assumption|]. intros i Hi. apply total_nonneg. intros. apply dot_nonneg.
    + rewrite (zsum_ext moved (fun i => c * step i)).
      * rewrite zsum_scale. ring.
      * intros i Hi. apply is_step. lia.
Qed.
End Late.

(** Sums that are alike up to how their ends are written. *)
Ltac sums :=
  lazymatch goal with
  | |- zsum ?f ?a ?b = zsum ?g ?c ?e =>
      try (replace c with a by lia); try (replace e with b by lia);
      apply zsum_ext; intros; cbv beta; sums
  | |- ?u * zsum _ _ _ = ?v * zsum _ _ _ => apply f_equal2; [fields | sums]
  | |- _ + _ = _ + _ => apply f_equal2; sums
  | |- _ => first [reflexivity | fields]
  end.
