"""Messages fit on a line, whatever the names in them are."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.rules.wording import MOST, fitted, spare
from torchdev_lint.syntax.names import short

LONG = "x" * 90


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"torch.{LONG}.ones", "xx.ones`"),
        (f"torch.ones({LONG})", "torch.ones(x"),
        (f"{LONG} + {LONG}...", "xxx..."),
    ],
)
def test_names_keep_their_end_and_other_texts_their_beginning(text: str, shown: str) -> None:
    message = f"`{text}` makes `y` on the CPU; it meets `z` (on the accelerator) in `+` on line 7"
    result = fitted(message)
    assert len(result) == MOST
    assert shown in result
    assert result.endswith("; it meets `z` (on the accelerator) in `+` on line 7")


def test_a_dotted_name_is_never_cut_at_both_ends() -> None:
    node = ast.parse("world.tokenizer.encode_to_obs_embeddings_of_all", mode="eval").body
    shown = short(node)
    assert shown == "...nizer.encode_to_obs_embeddings_of_all"
    result = fitted(f"`{shown}` {'word ' * 20}`{shown}`")
    assert result.endswith("_of_all`")


def test_the_longest_is_shortened_first() -> None:
    result = fitted(f"`{'a' * 30}` meets `{'b.' * 40}c` and `{'d' * 8}`")
    assert len(result) == MOST
    assert f"`{'a' * 30}`" in result
    assert f"`{'d' * 8}`" in result


def test_what_fits_stays_as_it_is() -> None:
    assert fitted(f"`{LONG}` is long") == f"`{LONG}` is long"


def test_words_of_the_message_are_never_cut() -> None:
    assert fitted("word " * 40) == "word " * 40
    message = "`a` " + "word " * 40
    assert fitted(message) == message


def test_words_that_can_be_spared_go_before_a_name_is_cut() -> None:
    message = (
        f"`{'a' * 60}` meets `{'b' * 30}`{spare(' in `index_select`')} on{spare(' the')} line 7"
    )
    assert fitted(message) == f"`{'a' * 60}` meets `{'b' * 30}` on the line 7"
    assert fitted(message.replace("b" * 30, "b" * 38)) == (
        f"`{'a' * 60}` meets `{'b' * 38}` on line 7"
    )


def test_words_that_can_be_spared_stay_where_there_is_room() -> None:
    assert fitted(f"`a` meets `b`{spare(' in `+`')} on line 7") == "`a` meets `b` in `+` on line 7"


def test_what_is_left_of_a_dotted_name_begins_with_a_name() -> None:
    message = f"`torch_geometric.datasets.Planetoid` makes {'a' * 89}"
    assert fitted(message) == f"`...datasets.Planetoid` makes {'a' * 89}"
    node = ast.parse(f"data_sets.{'x' * 36}", mode="eval").body
    assert short(node) == f"...{'x' * 36}"
