"""What fixes make of the fixtures: every finding gone, nothing new, nothing left to do."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.applying.fixing import fixed, fixed_copy
from tests.command import FIXTURES
from tests.fixtures import CLEAN, FLAGGED, PROJECTS, Fixture, name_of
from tests.turns import in_turn
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.finding import Finding
from torchdev_lint.linter import judged, lint
from torchdev_lint.rules import ALL_RULES, EVERY_RULE
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.source import read_source

EXPECTED = sorted(FIXTURES.rglob("*.fixed"))

BUILT_FOR_THE_INPUT = {
    "batchnorm_in_loop",
    "classic_linear",
    "factory_function",
    "head_from_subclass",
    "helper_moves_its_layer",
    "lazy_projection",
    "list_of_layers",
    "list_of_layers_in_forward",
    "module_level_helper",
    "module_list_in_forward",
    "multihead_attention_in_encoder",
    "nested_function",
    "norm_class_attribute",
    "own_block_in_forward",
    "partial_conv",
    "perceptual_loss",
    "sequential_head",
    "shortcut_in_branch",
    "stack_of_moved_layers",
    "star_import_upsampling",
    "weight_norm",
}
"""Layers that `__init__` can't build as they stand: their sizes are those of the input, they are
several, or a function that is called from elsewhere builds them."""

UNFIXABLE = {
    "TDL016/project_base_class_that_names_the_cpu",  # the device is what a method gives
    "TDL011/project_device_left_at_its_default",  # which parameter it is, another file says
    "TDL011/project_bank_on_the_cpu",  # the two meet in another file
    "TDL011/project_cast_within_a_loss",  # likewise
    "TDL011/project_generator_made_for_a_sampler",  # another file makes the generator
    "TDL012/project_loss_of_an_heir",  # the device is what another file keeps
    "TDL012/project_losses_in_a_dict",  # one of several, which have no name
    "TDL012/project_head_exchanged_later",  # the model is to be moved once more
    "TDL012/flagged_average_of_weights",  # the model is to be moved before
    "TDL012/flagged_weights_of_a_data_set",  # a function builds it that is told no device
    "TDL016/project_average_within_a_trainer",  # the trainer is to move the model before
    "TDL012/project_teacher_in_a_tuple",  # it may be moved in several places
    "TDL002/project_maps_in_a_list",  # boxes of a list, of which each has its place
    "TDL016/project_buffer_made_anew",  # another file makes it, and is told no device
    "TDL006/flagged_set_by_another_method",  # a buffer that is set later stays where it is made
    "TDL012/project_average_copied_before_the_move",  # what the object keeps is to be moved
    "TDL016/project_count_that_begins_anew",  # another file makes it, and is told no device
    "TDL011/flagged_sampler_with_a_generator_of_its_own",  # its callers say where it draws
    "TDL011/project_generator_of_another_file",  # the other file keeps the generator
    "TDL016/flagged_average_of_a_state",  # begun before the model is moved: where to begin is open
    "TDL001/flagged_module_level_constant",  # assigning the global would make it a local variable
    "TDL001/flagged_chain_of_methods",  # what a method gives has no name
    "TDL001/flagged_loop_variable_under_a_condition",  # its attributes hold the tensors as well
    "TDL001/flagged_loop_over_dict_values",  # the type of the batch is not known
    "TDL013/flagged_lists_of_parameters",  # what a list holds in a list is not followed
    "TDL013/flagged_lists_that_hold_more",  # what moves each element breaks numbers and arrays
    "TDL002/flagged_type_of_a_tensor",  # what makes it would have to be another function
    "TDL016/flagged_columns_of_arrays",  # what is on the device there has no name
    "TDL004/flagged_targets_of_a_detector",  # a list of dicts has no one move
    "TDL004/flagged_number_written_into_a_part",  # none is offered yet
    "TDL004/flagged_two_iterators_in_a_row",  # none is offered yet
    "TDL004/project_trainer_given_its_loss",  # the part of a batch that is met has no one move
    "TDL006/flagged_distribution_of_numbers",  # what it draws from is no tensor
    "TDL006/flagged_list_of_levels",  # a buffer is one tensor
    "TDL006/flagged_list_filled_by_a_loop",  # the same
    "TDL006/flagged_table_filled_by_a_loop",  # the same
    "TDL006/flagged_buffers_by_other_names",  # one of the two is kept in a list
    "TDL006/flagged_prior_beside_a_default",  # a distribution is no buffer
    "TDL006/flagged_prior_that_is_kept",  # the same
    "TDL006/flagged_memory_replaced_by_what_it_gives",  # what replaces it is a result, no buffer
    "TDL006/project_tables_of_another_file",  # nor is the list that one of them keeps
    "TDL006/project_prior_of_the_caller",  # whether it is to be registered is up to the other file
    "TDL006/flagged_optional_bias",  # the plain `None` is in the way of a buffer of that name
    "TDL006/flagged_weights_given_as_a_list",  # the same
    "TDL007/flagged_parameters_listed_for_an_optimizer",  # the names may be no keys of a ModuleDict
    "TDL016/project_average_in_another_file",  # it is to be moved in the other file
    "TDL006/project_kept_by_a_base_elsewhere",  # it is to be registered in the other file
    "TDL006/project_table_in_a_part_of_another_file",  # the same
    "TDL013/project_computed_in_another_file",  # it is to be brought to the CPU over there
    "TDL016/project_table_of_a_base_elsewhere",  # it is to be made elsewhere in the other file
    *(f"TDL003/flagged_{name}" for name in BUILT_FOR_THE_INPUT),
    "TDL006/flagged_parameter_taken_away",  # the class makes a parameter of that name as well
    "TDL007/project_state_by_a_flag",  # on the other path the list holds functions, no modules
    "TDL007/flagged_dict_filled_by_key",  # nobody knows the keys, and not all can be names of parts
    "TDL007/flagged_settings_of_the_same_name",  # it reads where modules keep their parts
    "TDL007/project_experts",  # a list of lists would have to be a list of lists of `torch.nn`
    "TDL009/flagged_helper_gives_nothing_back",  # its callers would have to be changed as well
    "TDL001/flagged_two_moves_in_a_tuple",  # each of the two would have to be assigned as well
    "TDL004/flagged_beside_elements_that_are_moved",  # nothing beside it is moved as a whole
    "TDL004/project_loop_in_another_file",  # the loop is in a file that is not linted with it
    "TDL009/flagged_pairs_of_two_lists",  # two lists would have to be built anew at once
    "TDL014/flagged_momentum_loaded",  # the model is moved under a condition
    "TDL014/flagged_model_built_anew",  # where the optimizer is to be built, only the user knows
    "TDL014/flagged_new_head_after_the_optimizer",  # the same
    "TDL014/flagged_new_head_in_a_function",  # the same
    "TDL905/flagged_double_in_a_function",  # whether single precision will do, only the user knows
    "TDL905/flagged_double_on_apple",  # the same
    "TDL011/project_default_device_set_by_options",  # its file does not import torch
    "TDL016/flagged_average_begun_before_the_move",  # the model is to be moved before
    "TDL016/flagged_what_a_distribution_measures",  # none is offered yet
    "TDL016/flagged_array_or_tensor",  # what is met may be an array, which has no device
    "TDL016/flagged_beside_what_a_trainer_prepares",  # the type of what it prepares is not known
    "TDL016/flagged_views_of_any_number",  # what is met is a list of tensors, which has no device
    "TDL016/project_table_of_another_file",  # its class has to be told a device
    "TDL012/project_built_by_functions_elsewhere",  # one of a pair that a function gives back
    "TDL012/flagged_part_of_it_moved_alone",  # none is offered yet
    "TDL012/flagged_pretrained",  # what a library loads may have a `to` of its own
    "TDL012/flagged_reloaded_beside_a_trainer_needs_transformers",  # the same
    "TDL102/flagged_type_of_cuda",  # a type names CUDA and what its elements are
    "TDL903/flagged_gradient_of_function",  # a type names CUDA and what its elements are
    "TDL903/flagged_type_of_tensor",  # the same
    "TDL903/flagged_target_of_loss",  # none is offered yet
    "TDL903/flagged_helper_of_forward",  # the helper is given a shape, and no device
    "TDL903/flagged_statistics_kept_by_init",  # it has to become a buffer
    "TDL005/project_model_handed_to_a_loop",  # another file calls the model, by another name
    "TDL003/flagged_weighted_loss_of_a_trainer",  # what it is applied to is an output's attribute
    "TDL006/flagged_distribution_of_parameters",  # a distribution is no tensor, and so no buffer
    "TDL007/flagged_clones_of_a_layer",  # the list is made by a function
    "TDL007/flagged_grown_by_addition",  # the list is built in two steps
    "TDL007/flagged_list_and_width_of_a_function",  # the same, which gives something else as well
    "TDL007/flagged_two_tuples_at_once",  # what the statement gives is a tuple of both
    "TDL007/flagged_imports_left_out",  # no fix writes the name of what isn't imported
}
"""Fixtures with a finding that has no fix."""

SHARE = {"TDL001": 0.9, "TDL002": 0.9, "TDL003": 0.45, "TDL004": 0.8, "TDL005": 0.8,
         "TDL006": 0.8, "TDL008": 1.0, "TDL009": 0.7, "TDL010": 1.0, "TDL011": 0.8,
         "TDL013": 0.9, "TDL016": 0.9, "TDL102": 0.9, "TDL905": 0.8}  # fmt: skip
"""What part of the findings is fixed at least, unsafe fixes counted."""


@pytest.mark.parametrize("program", in_turn(FLAGGED, 4, name_of))
def test_what_is_fixed_is_gone_and_stays_so(program: Fixture) -> None:
    remaining = _left_when_at_rest(program, unsafe=True)
    assert bool(remaining) == (program.name in UNFIXABLE), remaining


@pytest.mark.parametrize("program", in_turn(FLAGGED, 3, name_of))
def test_what_is_fixed_safely_is_gone_and_stays_so(program: Fixture) -> None:
    _left_when_at_rest(program, unsafe=False)


def _left_when_at_rest(program: Fixture, unsafe: bool) -> list[Finding]:
    """Fix the files of a program, each by itself, and return what is found in them then."""
    remaining = []
    for path in program.files:
        source = read_source(str(path))
        result = fix_source(source, EVERY_RULE, unsafe)
        ast.parse(result.source.data)
        left = lint(result.source, result.source.parse(), EVERY_RULE)
        assert not result.withdrawn
        assert tuple(left) == result.findings
        before, after = (Counter(f.code for f in found) for found in (result.before, left))
        assert after + Counter(f.code for f in result.fixed) >= before
        again = fix_source(result.source, EVERY_RULE, unsafe)
        assert again.source.data == result.source.data
        remaining += left
    return remaining


def _without_fixes(findings: list[Finding]) -> list[Finding]:
    """What is found: of what is left, only those fixes are told that hold."""
    return [replace(finding, fix=None, unsafe_fix=None) for finding in findings]


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("project", [p for p in PROJECTS if p.flagged], ids=name_of)
def test_a_project_is_fixed_as_a_whole(project: Fixture, unsafe: bool, tmp_path: Path) -> None:
    copy, left = fixed_copy(project, tmp_path, unsafe)
    sources = [read_source(str(path)) for path in copy.files]
    found = [f for s in sources for f in judged(s, lint(s, s.parse(), EVERY_RULE), EVERY_RULE)]
    assert _without_fixes(found) == _without_fixes(left)
    if unsafe:
        assert bool(left) == (project.name in UNFIXABLE), left


@pytest.mark.parametrize("program", in_turn(CLEAN, 5, name_of))
def test_a_clean_program_is_not_touched(program: Fixture) -> None:
    for path in program.files:
        source = read_source(str(path))
        assert fix_source(source, EVERY_RULE, unsafe=True).source.data == source.data


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.name)
def test_the_result_is_the_one_expected(expected: Path) -> None:
    name, _, kind = expected.name.removesuffix(".fixed").rpartition(".")
    source = read_source(str(expected.with_name(f"{name}.py")))
    result = fix_source(source, EVERY_RULE, unsafe=kind == "unsafe")
    assert result.source.text == expected.read_text(encoding="utf-8")


def test_there_are_results_for_every_rule() -> None:
    stored = Counter(path.relative_to(FIXTURES).parts[0] for path in EXPECTED)
    assert all(stored[code] >= 2 for code in EVERY_RULE.rules)


@pytest.mark.exhaustive
def test_most_findings_can_be_fixed() -> None:
    """As a share; each fixture has a test of its own, and those that can't be fixed are listed."""
    found, fixable = Counter[str](), Counter[str]()
    for program in FLAGGED:
        for path in program.files:
            source = read_source(str(path))
            for finding in lint(source, source.parse(), EVERY_RULE):
                found[finding.code] += 1
                fixable[finding.code] += finding.fix_for(unsafe=True) is not None
    for code, share in SHARE.items():
        assert fixable[code] >= share * found[code], f"{code}: {fixable[code]} of {found[code]}"


@pytest.mark.parametrize(
    "rule",
    [rule for rule in ALL_RULES if rule.code in EVERY_RULE.rules],
    ids=lambda rule: rule.code,
)
def test_the_bad_example_can_be_fixed(rule: Rule) -> None:
    result = fixed(rule.bad, unsafe=True)
    assert (len(result.before), result.findings) == (1, ())
