"""Rewriting one call with libcst, in the formatting it has."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from torchdev_lint.change import CannotEdit

_NO_SPACES = cst.AssignEqual(
    whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace("")
)


def with_argument(text: str, argument: str) -> str:
    """Return the text of a call with one more argument, in the formatting it has.

    Args:
        text: the call, exactly as it is written, not nested deep.
        argument: what to add behind the last argument.

    Raises:
        CannotEdit: the text is no call, or can't be written as it was read.
    """
    # Inside brackets an expression keeps its lines, wherever in the file it stood.
    module, call = _parse(f"({text})")
    if not isinstance(call, cst.Call):
        raise CannotEdit("it is not a call")
    added = _argument(argument)
    equals = [arg.equal for arg in call.args if isinstance(arg.equal, cst.AssignEqual)]
    last = added.with_changes(equal=equals[-1] if equals else _NO_SPACES)
    return module.code_for_node(_appended(call, last))[1:-1]


@lru_cache(maxsize=64)
def _argument(text: str) -> cst.Arg:
    """Read an argument; the fixes of a file have few that differ."""
    _, call = _parse(f"f({text})")
    assert isinstance(call, cst.Call)
    return call.args[0]


def _parse(text: str) -> tuple[cst.Module, cst.BaseExpression]:
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise CannotEdit(f"libcst can't read it: {error}") from None
    line = module.body[0] if len(module.body) == 1 else None
    statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if not isinstance(statement, cst.Expr) or module.code != text:
        raise CannotEdit("libcst reads it as something else")
    return module, statement.value


def _appended(call: cst.Call, added: cst.Arg) -> cst.Call:
    if not call.args:
        return call.with_changes(args=[added])
    *others, last = call.args
    if isinstance(last.value, cst.GeneratorExp) and not last.value.lpar:
        brackets = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
        last = last.with_changes(value=last.value.with_changes(**brackets))
    if isinstance(last.comma, cst.Comma):
        end = last.comma.whitespace_after
        added = added.with_changes(comma=last.comma.with_changes(whitespace_after=_plain(end)))
        comma = last.comma.with_changes(whitespace_after=_separator(call, end))
        return call.with_changes(args=[*others, last.with_changes(comma=comma), added])
    end = last.whitespace_after_arg
    added = added.with_changes(whitespace_after_arg=_plain(end))
    comma = cst.Comma(whitespace_after=_separator(call, end))
    last = last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*others, last, added])


def _plain(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """The space before the closing bracket, without the comments that go with the old argument."""
    if isinstance(space, cst.ParenthesizedWhitespace):
        return cst.ParenthesizedWhitespace(indent=space.indent, last_line=space.last_line)
    return space


def _separator(
    call: cst.Call, end: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """What comes between the old last argument and the new one.

    Args:
        end: the space that was before the closing bracket; its comments belong to the old one.
    """
    line = _line_of_argument(call)
    if isinstance(end, cst.ParenthesizedWhitespace):
        has_comment = end.first_line.comment is not None or end.empty_lines
        if line is not None:
            return end.with_changes(indent=line.indent, last_line=line.last_line)
        if has_comment:
            raise CannotEdit("a comment stands where the argument has to go")
    elif line is not None and len(call.args) > 1:
        return _plain(line)
    return cst.SimpleWhitespace(" ")


def _line_of_argument(call: cst.Call) -> cst.ParenthesizedWhitespace | None:
    """The line break before the last argument, None if it shares its line with another one."""
    before = call.whitespace_before_args
    if len(call.args) > 1:
        comma = call.args[-2].comma
        before = comma.whitespace_after if isinstance(comma, cst.Comma) else before
    return before if isinstance(before, cst.ParenthesizedWhitespace) else None
