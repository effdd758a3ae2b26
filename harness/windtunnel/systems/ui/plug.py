"""A scheduler class, ours or anybody's, fitted to the harness by what its signatures have.

The class is made with those of `send_delay_ms`, `max_calls_per_sec`, `max_queue_size` that its
constructor takes. It needs `execute` or `enqueue`; the rest is optional.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from windtunnel.errors import PluginError, WindtunnelError

_CALLED_WITH: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "start": (),
        "stop": (),
        "drain": ("timeout in seconds",),
        "pending_count": (),
        "mark_wechat_dead": ("duration in seconds",),
        "mark_wechat_ready": (),
        "get_metrics": (),
        "observe": ("function",),
    }
)
"""Method that may be lacking → what it is called with, by position."""
OPTIONAL_METHODS: Final = tuple(_CALLED_WITH)
SUBMIT_ARGUMENTS: Final = ("priority", "delay_ms", "wait_timeout_ms", "trace_id")


class PluggedScheduler:
    """An instance of a scheduler class and what it can do."""

    def __init__(self, scheduler_class: Callable[..., Any], settings: Mapping[str, Any]) -> None:
        """Make the instance.

        Raises `PluginError` when the class cannot be made, or has neither `execute` nor `enqueue`.
        """
        self.name = getattr(scheduler_class, "__qualname__", repr(scheduler_class))
        accepted = _accepted(scheduler_class, self.name)
        known = {
            key: value for key, value in settings.items() if accepted is None or key in accepted
        }
        try:
            self.instance = scheduler_class(**known)
        except Exception as error:
            raise PluginError(
                f"{self.name} cannot be made with {', '.join(sorted(known)) or 'no arguments'}: "
                f"{type(error).__name__}: {error}"
            ) from error
        self.settings = frozenset(known)
        self._methods = {
            name: method for name in OPTIONAL_METHODS if (method := self._method(name))
        }
        self._check_methods()
        self._submit = self._submitters()

    def _method(self, name: str) -> Callable[..., Any] | None:
        method = getattr(self.instance, name, None)
        return method if callable(method) else None

    def _check_methods(self) -> None:
        """Raise `PluginError` for a method that cannot be called as it is going to be."""
        for name, method in self._methods.items():
            arguments = _CALLED_WITH[name]
            if misfit := _unbound(method, *arguments):
                what = f"its {arguments[0]}, by position" if arguments else "no arguments"
                raise PluginError(f"{self.name}.{name} is called with {what}: {misfit}")

    def _submitters(self) -> dict[str, tuple[Callable[..., Any], frozenset[str]]]:
        found = {
            name: (method, _parameters(method))
            for name in ("execute", "enqueue")
            if (method := self._method(name))
        }
        if not found:
            raise PluginError(
                f"{self.name} has neither `execute` nor `enqueue`; a scheduler needs one of them "
                "to take an action in"
            )
        misfits = {name: misfit for name in found if (misfit := _misfit(*found[name]))}
        if len(misfits) == len(found):
            name, misfit = next(iter(misfits.items()))
            raise PluginError(
                f"{self.name}.{name} cannot take an action in: {misfit}; it is called with the "
                f"action first, then by name what it has of {', '.join(SUBMIT_ARGUMENTS)}"
            )
        return {name: found[name] for name in found if name not in misfits}

    def has(self, name: str) -> bool:
        """Tell whether it has a method."""
        return name in self._methods or name in self._submit

    def takes(self, argument: str, via: str = "execute") -> bool:
        """Tell whether a submission can carry an argument."""
        return argument in self._submitter(via)[1]

    def _submitter(self, via: str) -> tuple[Callable[..., Any], frozenset[str]]:
        return self._submit.get(via) or next(iter(self._submit.values()))

    def via(self, wanted: str) -> str:
        """Return the method by which a submission really goes: the wanted one, or the other."""
        return wanted if wanted in self._submit else next(iter(self._submit))

    def submit(self, action: Callable[[], Any], via: str, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any awaitable
        """Hand an action over with those arguments that the method takes; None is left out."""
        method, takes = self._submitter(via)
        known = {
            key: value for key, value in arguments.items() if value is not None and key in takes
        }
        return method(action, **known)

    async def call(self, name: str, *args: Any) -> Any:  # noqa: ANN401 - whatever it returns
        """Call an optional method and wait for it if need be; None if it is not there."""
        method = self._methods.get(name)
        if method is None:
            return None
        result = method(*args)
        return await result if inspect.isawaitable(result) else result

    async def manage(self, name: str) -> None:
        """Call `start` or `stop` for the harness itself; raises `PluginError` when it fails."""
        try:
            await self.call(name)
        except WindtunnelError:
            raise
        except Exception as error:
            raise PluginError(
                f"{self.name}.{name} raised {type(error).__name__}: {error}"
            ) from error


def _accepted(scheduler_class: Callable[..., Any], name: str) -> frozenset[str] | None:
    """Return the constructor's argument names, or None when it takes any."""
    if not callable(scheduler_class):
        raise PluginError(f"{name} is not a class")
    try:
        parameters = inspect.signature(scheduler_class).parameters.values()
    except (TypeError, ValueError) as error:
        raise PluginError(f"the constructor of {name} cannot be inspected: {error}") from error
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY)


def _misfit(method: Callable[..., Any], takes: frozenset[str]) -> str:
    """Return why a submission cannot be made through the method; empty when it can."""
    arguments = dict.fromkeys(name for name in SUBMIT_ARGUMENTS if name in takes)
    return _unbound(method, None, **arguments)


def _unbound(method: Callable[..., Any], *args: object, **named: object) -> str:
    """Return why a method cannot be called with these; empty when it can, or does not tell."""
    try:
        inspect.signature(method).bind(*args, **named)
    except TypeError as error:
        return str(error)
    except ValueError:  # it is of C, and has no signature
        return ""
    return ""


def _parameters(method: Callable[..., Any]) -> frozenset[str]:
    parameters = inspect.signature(method).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return frozenset(SUBMIT_ARGUMENTS)
    return frozenset(p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY)
