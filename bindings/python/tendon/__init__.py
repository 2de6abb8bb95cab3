"""Compile Bicep, predict deployments, and check values against contracts, in the process.

A :class:`Project` is a set of files, in memory or over a folder. It compiles and formats Bicep, predicts what a deployment would make
with mocks, and makes contracts of files in any of the languages: JSON Schema and contracts in JSON or YAML, parameters of Bicep files and
templates, types of Thrift files. A :class:`Contract` checks dicts and lists where they lie; :class:`Messages` validates encoded Thrift
messages on their bytes. What is wrong comes as objects with places; :class:`TendonError` carries them.
"""

from ._tendon import (
    Compiled,
    Contract,
    Diagnostic,
    Fix,
    MessageResult,
    Messages,
    Place,
    Project,
    TendonError,
    Violation,
    __version__,
)

__all__ = [
    "Compiled",
    "Contract",
    "Diagnostic",
    "Fix",
    "MessageResult",
    "Messages",
    "Place",
    "Project",
    "TendonError",
    "Violation",
    "__version__",
]
