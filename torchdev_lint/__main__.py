"""The command as a process of its own: the console script, and `python -m torchdev_lint`.

What is imported at the top has to be loaded already when Python starts, or a file of that name in
the folder that is linted could be imported in its stead.
"""

import os
import sys

INTERRUPTED = 130

_SOON = 0.02
"""After how many seconds an end comes that was lost."""


def main() -> int:
    """Run the command line and return the exit code."""
    try:
        _forget_the_current_folder()
        _end_in_order()
        from torchdev_lint.garbage import collect_rarely

        collect_rarely()  # before there is much that could be gone through
        from torchdev_lint.cli import main

        return _ended(main())
    except KeyboardInterrupt:  # before there was anything to end
        return INTERRUPTED


def _forget_the_current_folder() -> None:
    """Remove from `sys.path` what stands there only because of how Python was started.

    That is the current folder, or the one of the script; and the current folder once more where
    `PYTHONPATH` has an empty entry, as it gets from `PYTHONPATH=$PYTHONPATH:…`. What is imported
    later must not be taken from there. Folders that `PYTHONPATH` names stay.
    """
    safe = sys.flags.isolated or getattr(sys.flags, "safe_path", False)
    if not safe and sys.path and os.path.isdir(sys.path[0] or os.curdir):  # else an archive, ours
        del sys.path[0]
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if "" in named and not sys.flags.ignore_environment:
        meant = {os.path.abspath(folder) for folder in named if folder}
        here = {"", os.path.abspath(os.curdir)} - meant
        sys.path[:] = [entry for entry in sys.path if entry not in here]


def _end_in_order() -> None:
    """Have the first Ctrl-C and SIGTERM raise, so that whoever began something can end it.

    From then on Ctrl-C is ignored: it couldn't make the end come sooner, only less orderly.
    """
    import signal

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    def terminate(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(128 + number)

    def lost(unraisable: "sys.UnraisableHookArgs") -> None:
        """Have an end come again that Python has ignored, as it was raised in a `__del__`, say."""
        end = unraisable.exc_value
        if not isinstance(end, (KeyboardInterrupt, SystemExit)):
            before(unraisable)
            return
        import threading

        def again(number: int, frame: object) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            raise end

        signal.signal(signal.SIGINT, again)
        threading.Timer(_SOON, _interrupt_again).start()  # by then Python is out of there

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored
        signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, terminate)
    before, sys.unraisablehook = sys.unraisablehook, lost


def _interrupt_again() -> None:
    """Interrupt the main thread from another one, whatever it waits for, as far as that goes."""
    if os.name == "nt":  # there, to send a signal would end the process at once
        from _thread import interrupt_main

        interrupt_main()
    else:
        from signal import SIGINT

        os.kill(os.getpid(), SIGINT)


def _ended(code: int) -> int:
    """End the process at once, as mypy does, if nobody watches it that has something to do then.

    To take apart all that it holds takes a tenth of a short run, and seconds of a long one.

    Returns:
        The exit code, if the process is to end in its own time.
    """
    if _is_watched():
        return code
    from torchdev_lint.streams import settle

    settle()
    sys.stderr.flush()
    os._exit(code)


def _is_watched() -> bool:
    """Whether a debugger, a profiler or a measurement of coverage goes along."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    tools = () if monitoring is None else [monitoring.get_tool(number) for number in range(6)]
    return any((sys.gettrace(), sys.getprofile(), *tools))


if __name__ == "__main__":
    sys.exit(main())
