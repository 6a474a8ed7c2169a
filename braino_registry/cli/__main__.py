"""``python -m braino_registry.cli`` is ``braino``."""

from braino_registry.cli import main

main()
