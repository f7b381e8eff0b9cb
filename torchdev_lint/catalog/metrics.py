"""torchmetrics: which metrics have state of their own, and what leaves it where it is."""

from __future__ import annotations

METRICS = "torchmetrics"
"""The library of metrics."""

COUNTING_METRICS = frozenset(
    f"{METRICS}.{kind}{name}"
    for kind in ("", "Binary", "Multiclass", "Multilabel")
    for name in (
        "Accuracy", "CohenKappa", "ConfusionMatrix", "F1Score", "FBetaScore", "HammingDistance",
        "JaccardIndex", "MatthewsCorrCoef", "Precision", "Recall", "Specificity", "StatScores",
    )
    if (kind, name) != ("Multilabel", "CohenKappa")
) | {f"{METRICS}.{name}" for name in ("F1", "FBeta", "IoU", "MatthewsCorrcoef")}  # fmt: skip
"""Metrics that add what they count to tensors of their own, which are made on the host.

Others keep what they are given in a list, wherever that is. Found out by calling each of
torchmetrics 1.9.0 with tensors on the accelerator; the last four are what some of them were called
until 0.7 (`add_state` in the sources of 0.2.0, 0.5.1 and 0.7.3).
"""


def counts_in_tensors(name: str) -> bool:
    """Return whether a class of torchmetrics is such a metric.

    Args:
        name: the qualified name, of wherever in the library it is imported from.
    """
    is_there = name.startswith(f"{METRICS}.")
    return is_there and f"{METRICS}.{name.rpartition('.')[2]}" in COUNTING_METRICS


_TASKS = ("", "Binary", "Multiclass", "Multilabel")

COMPARING_METRICS = frozenset(
    f"{task}{name}" for task in _TASKS for name in ("ExactMatch", "NegativePredictiveValue")
) | frozenset(
    """
    ConcordanceCorrCoef ContinuousRankedProbabilityScore CramersV DiceScore ExplainedVariance
    GeneralizedDiceScore HausdorffDistance JensenShannonDivergence KLDivergence LogCoshError
    MeanAbsoluteError MeanAbsolutePercentageError MeanIoU MeanSquaredError MeanSquaredLogError
    MinkowskiDistance MultiScaleStructuralSimilarityIndexMeasure MultilabelRankingLoss
    NormalizedRootMeanSquaredError PeakSignalNoiseRatio PeakSignalNoiseRatioWithBlockedEffect
    PearsonCorrCoef PearsonsContingencyCoefficient R2Score RelativeSquaredError
    RootMeanSquaredErrorUsingSlidingWindow ScaleInvariantSignalDistortionRatio
    ScaleInvariantSignalNoiseRatio SignalDistortionRatio SignalNoiseRatio
    SourceAggregatedSignalDistortionRatio SpatialCorrelationCoefficient SpectralAngleMapper
    StructuralSimilarityIndexMeasure SymmetricMeanAbsolutePercentageError TheilsU TschuprowsT
    TweedieDevianceScore UniversalImageQualityIndex VisualInformationFidelity
    WeightedMeanAbsolutePercentageError
    """.split()
)
"""Other metrics that compute with what they are given, and with what it should be, at once.

So `update` and a call fail if one of the two is on the host and the other isn't, wherever the
metric is. Found out as above, with one of the two on either side.
"""

COMPARING_CALLS = frozenset(
    f"{task}{name}"
    for task in _TASKS
    for name in (
        "AUROC", "AveragePrecision", "CalibrationError", "EER", "LogAUC", "PrecisionRecallCurve",
        "ROC",
    )
) | frozenset(
    """
    AdjustedMutualInfoScore AdjustedRandScore CompletenessScore CosineSimilarity
    ErrorRelativeGlobalDimensionlessSynthesis FowlkesMallowsIndex HomogeneityScore
    KendallRankCorrCoef MutualInfoScore NormalizedMutualInfoScore RandScore
    RelativeAverageSpectralError SpearmanCorrCoef VMeasureScore
    """.split()
)  # fmt: skip
"""Metrics that do so when they are called; `update` only keeps both."""

COMPARING_FUNCTIONS = frozenset(
    f"{task}{name}"
    for task in ("", "binary_", "multiclass_", "multilabel_")
    for name in """
    accuracy auroc average_precision calibration_error cohen_kappa confusion_matrix eer exact_match
    f1_score fbeta_score hamming_distance jaccard_index logauc matthews_corrcoef
    negative_predictive_value precision precision_recall_curve ranking_loss recall roc specificity
    stat_scores
    """.split()
) | frozenset(
    """
    concordance_corrcoef continuous_ranked_probability_score cosine_similarity cramers_v dice_score
    error_relative_global_dimensionless_synthesis explained_variance generalized_dice_score
    hausdorff_distance jensen_shannon_divergence kendall_rank_corrcoef kl_divergence log_cosh_error
    mean_absolute_error mean_absolute_percentage_error mean_iou mean_squared_error
    mean_squared_log_error minkowski_distance multiscale_structural_similarity_index_measure
    normalized_root_mean_squared_error pairwise_cosine_similarity pairwise_euclidean_distance
    pairwise_linear_similarity pairwise_manhattan_distance pairwise_minkowski_distance
    peak_signal_noise_ratio peak_signal_noise_ratio_with_blocked_effect pearson_corrcoef
    pearsons_contingency_coefficient r2_score relative_average_spectral_error
    relative_squared_error root_mean_squared_error_using_sliding_window
    scale_invariant_signal_distortion_ratio scale_invariant_signal_noise_ratio
    signal_distortion_ratio signal_noise_ratio source_aggregated_signal_distortion_ratio
    spatial_correlation_coefficient spearman_corrcoef spectral_angle_mapper
    structural_similarity_index_measure symmetric_mean_absolute_percentage_error theils_u
    tschuprows_t tweedie_deviance_score universal_image_quality_index visual_information_fidelity
    weighted_mean_absolute_percentage_error
    """.split()
)
"""Functions of `torchmetrics.functional` that do so, wherever in it they are."""


def is_comparing(name: str, at_call: bool = True) -> bool:
    """Return whether a class of torchmetrics computes with both of what it is given.

    Args:
        name: the qualified name, of wherever in the library it is imported from.
        at_call: whether it is called; else it is told by `update`.
    """
    last = name.rpartition(".")[2]
    known = last in COMPARING_METRICS or (at_call and last in COMPARING_CALLS)
    return known and name.startswith(f"{METRICS}.")


METRIC_METHODS = frozenset({"compute", "reset", "update"})
"""Methods of a metric that leave its tensors where they are.

Source: `torchmetrics/metric.py`; `reset` puts the defaults where the metric is.
"""

PER_SAMPLE = frozenset({"multidim_average", "mdmc_average", "mdmc_reduce"})
"""Arguments with which such a metric may keep a list as well; the last two until 0.11."""

METRIC_COLLECTION = f"{METRICS}.MetricCollection"
"""A module that hands each of its metrics what it is given."""


def is_of_metrics(name: str) -> bool:
    """Return whether a class of torchmetrics counts in tensors, or holds metrics that do.

    Args:
        name: the qualified name.
    """
    return name == METRIC_COLLECTION or counts_in_tensors(name)
