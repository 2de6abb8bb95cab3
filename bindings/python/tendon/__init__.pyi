"""Compile Bicep, predict deployments, and check values against contracts, in the process."""

import os
from typing import Any, Literal, Mapping, Optional, Union, final

__version__: str

Values = Union[Mapping[str, Any], str]
"""Values by name, or a text in JSON or YAML."""

class TendonError(ValueError):
    """Something is wrong with a file or a value."""

    diagnostics: list[Diagnostic]
    """What is wrong with files; set if a file was refused."""
    violations: list[Violation]
    """What is wrong with a value; set if :meth:`Contract.validate` refused it."""

@final
class Place:
    """A part of a file. Lines and columns are from 1; columns and offsets are characters."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int

@final
class Fix:
    """A change that mends a finding: all replacements together, or none."""

    title: str
    replacements: list[tuple[Place, str]]

@final
class Diagnostic:
    """Something that is to be said about a file or a text of values."""

    severity: Literal["error", "warning", "info"]
    code: str
    message: str
    hint: Optional[str]
    place: Optional[Place]
    rule: Optional[Place]
    """Where the rule stands that is broken."""
    pointer: Optional[str]
    """The value that it is about, as a JSON pointer."""
    fixes: list[Fix]

@final
class Violation:
    """A rule that a value breaks."""

    path: str
    pointer: str
    rule: str
    message: str
    found: Optional[str]
    """The value as JSON; masked if it is a secret."""
    hint: Optional[str]
    written: Optional[Place]
    """Where the rule is written."""
    value: Any
    """The very object that breaks it; None if it is a secret, or not there."""

@final
class Compiled:
    """What compiling a file gives."""

    template: Optional[str]
    """The template, or of a parameters file the parameters, as JSON; None if something is an error."""
    diagnostics: list[Diagnostic]
    def json(self) -> dict[str, Any]:
        """The template as a dict. Raises :class:`TendonError` if there are errors."""

@final
class MessageResult:
    """What is to be said about a message; true if it is valid."""

    valid: bool
    error: Optional[str]
    """Why the message cannot be read."""
    violations: list[Violation]
    def __bool__(self) -> bool: ...

@final
class Contract:
    """A contract, ready for values."""

    def __new__(cls, schema: Values) -> Contract:
        """A contract of a schema alone: a dict, or JSON as text."""
    def is_valid(self, value: Any) -> bool:
        """Whether a value keeps the contract. Nothing of it is copied, unless the contract is for parameters of a template."""
    def violations(self, value: Any, limit: int = 1000) -> list[Violation]:
        """The rules that a value breaks, in its order."""
    def validate(self, value: Any) -> None:
        """Raises :class:`TendonError` with ``violations`` if a value breaks a rule."""
    def check_text(self, text: str, name: str = "value") -> list[Diagnostic]:
        """What is wrong with a text of values, JSON or YAML, with places in it."""
    @property
    def has_secrets(self) -> bool:
        """Whether any value is a secret, which no message shows."""

@final
class Messages:
    """The rules of a Thrift type, ready for messages."""

    def validate(
        self, message: bytes, protocol: Literal["binary", "compact", "json"] = "binary"
    ) -> MessageResult:
        """Validates a message, which is one struct, bare."""

@final
class Project:
    """A set of files, and what is worked out of them. It can be shared between threads."""

    def __new__(
        cls, root: Optional[Union[str, os.PathLike[str]]] = None, *, azure_types: bool = True
    ) -> Project:
        """A project in memory, or over the files of a folder, to which names are then relative."""
    def set_file(self, name: str, contents: Union[str, bytes]) -> None:
        """Adds a file, or gives it other contents; the disk is not touched."""
    def remove_file(self, name: str) -> None:
        """Forgets a file that was set."""
    def compile(self, name: str) -> Compiled:
        """Compiles a Bicep file or a parameters file with all that it uses."""
    def format(self, name: str) -> str:
        """A Bicep file as the formatter lays it out."""
    def lint_thrift(self, name: str) -> list[Diagnostic]:
        """Everything that is to be said about a Thrift file and what it includes."""
    def snapshot(
        self,
        name: str,
        parameters: Optional[Values] = None,
        mocks: Optional[Values] = None,
        *,
        scope: Optional[str] = None,
        location: Optional[str] = None,
        deployment: Optional[str] = None,
    ) -> dict[str, Any]:
        """What a deployment of a Bicep file, a parameters file or a template would make, as `tendon snapshot` writes it."""
    def evaluate(
        self,
        name: str,
        expression: str,
        parameters: Optional[Values] = None,
        mocks: Optional[Values] = None,
        *,
        scope: Optional[str] = None,
        location: Optional[str] = None,
        deployment: Optional[str] = None,
    ) -> Any:
        """The value of a template expression, with the declarations of a file around it."""
    def picture(
        self,
        name: str,
        form: Literal["svg", "mermaid", "dot"] = "svg",
        parameters: Optional[Values] = None,
        mocks: Optional[Values] = None,
    ) -> str:
        """The resources of a deployment and what depends on what."""
    def contract(self, reference: str) -> Contract:
        """The contract of ``FILE.json#DEFINITION``, ``FILE.bicep``, ``FILE.bicep#PARAMETER``, ``TEMPLATE.json`` or ``FILE.thrift#TYPE``."""
    def messages(self, reference: str) -> Messages:
        """The rules for messages of ``FILE.thrift#TYPE``."""
