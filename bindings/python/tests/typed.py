"""What the stubs promise, held against the rules of types: this file is checked, and never run."""

from typing import Optional

import tendon


def first_error(project: tendon.Project, name: str) -> Optional[str]:
    for found in project.compile(name).diagnostics:
        place = found.place
        if place is not None and found.severity == "error":
            return f"{place.file}:{place.line}: {found.message}"
    return None


def broken(contract: tendon.Contract, value: object) -> list[str]:
    return [violation.pointer for violation in contract.violations(value, limit=10)]


def told(error: tendon.TendonError) -> list[str]:
    return [found.code for found in error.diagnostics]
