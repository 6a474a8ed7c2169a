"""What a caller of an analysis can mend: a window, a channel, a frequency."""

from __future__ import annotations

from braino_registry.errors import UsageError


class SignalError(UsageError):
    """An analysis that the given signal or parameters do not allow."""
