"""Contracts: values where they lie, texts, and messages on their bytes."""

import math
import sys
from collections import OrderedDict

import pytest

import tendon

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^o-[0-9]+$"},
        "count": {"type": "integer", "minimum": 1, "maximum": 2**70},
        "price": {"type": "number", "multipleOf": 0.1},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "uniqueItems": True},
        "next": {"$ref": "#"},
    },
    "required": ["id"],
}


@pytest.fixture(scope="module")
def contract():
    return tendon.Contract(SCHEMA)


def broken(contract, value):
    found = contract.violations(value)
    assert contract.is_valid(value) == (not found)
    return [(it.pointer, it.rule) for it in found]


@pytest.mark.parametrize(
    "value, expected",
    [
        ({"id": "o-1"}, []),
        ({"id": "o-1", "count": 1, "price": 0.3, "tags": ["a", "b"]}, []),
        ({"id": "o-1", "tags": ("a", "bcd")}, []),
        ({}, [("", "required")]),
        ({"id": 1}, [("/id", "type")]),
        ({"id": "x"}, [("/id", "pattern")]),
        ({"id": "o-1", "count": 0}, [("/count", "minimum")]),
        ({"id": "o-1", "count": 2**64 - 1}, []),
        ({"id": "o-1", "count": 2**70}, []),
        ({"id": "o-1", "count": 2**70 + 1}, [("/count", "maximum")]),
        ({"id": "o-1", "count": True}, [("/count", "type")]),
        ({"id": "o-1", "price": 0.35}, [("/price", "multipleOf")]),
        ({"id": "o-1", "tags": ["a", "a"]}, [("/tags", "uniqueItems")]),
        ({"id": "o-1", "tags": ["abcd"]}, [("/tags/0", "maxLength")]),
        ({"id": "o-1", "next": {"id": "o-2", "next": {"id": "x"}}}, [("/next/next/id", "pattern")]),
        (OrderedDict(id="o-1"), []),
        ([], [("", "type")]),
        (None, [("", "type")]),
    ],
)
def test_values_are_checked(contract, value, expected):
    assert broken(contract, value) == expected


def test_a_violation_has_the_very_object(contract):
    inner = {"id": "x"}
    value = {"id": "o-1", "next": inner}
    [found] = contract.violations(value)
    assert found.value is inner["id"]
    assert found.message == "must match the pattern `^o-[0-9]+$`" or "pattern" in found.message
    assert found.written.file == "schema.json"
    assert str(found) == f"{found.path}: {found.message} (pattern)"


def test_nothing_is_copied_or_kept(contract):
    text = "o-" + "1" * 50
    value = {"id": text, "next": {"id": text}}
    before = sys.getrefcount(text)
    for _ in range(10):
        contract.is_valid(value)
        contract.violations(value)
    assert sys.getrefcount(text) == before


def test_what_is_no_value_is_a_type_error(contract):
    class Strange:
        pass

    with pytest.raises(TypeError, match="Strange"):
        contract.is_valid({"id": Strange()})
    with pytest.raises(TypeError, match="set"):
        contract.violations({"id": "o-1", "tags": {"a"}})
    with pytest.raises(TypeError, match="surrogate"):
        contract.is_valid({"id": "\ud800"})


def test_a_value_in_itself_ends(contract):
    value = {"id": "o-1"}
    value["next"] = value
    assert contract.violations(value)


def test_numbers_that_are_none(contract):
    assert not contract.is_valid({"id": "o-1", "price": math.nan})


def test_validate_raises_with_violations(contract):
    contract.validate({"id": "o-1"})
    with pytest.raises(tendon.TendonError) as raised:
        contract.validate({"id": "x", "count": 0})
    assert [it.rule for it in raised.value.violations] == ["pattern", "minimum"]


def test_texts_have_places(contract):
    [found] = contract.check_text("id: o-1\ncount: 0\n", "order.yaml")
    assert (str(found.place), found.pointer, found.rule.file) == ("order.yaml:2:8", "/count", "schema.json")
    [found] = contract.check_text('{"id": ')
    assert found.code == "json/syntax"


def test_secrets_are_masked():
    contract = tendon.Contract({"properties": {"password": {"type": "string", "minLength": 12, "secret": True}}})
    assert contract.has_secrets
    [found] = contract.violations({"password": "hunter2"})
    assert found.value is None
    assert "hunter2" not in repr(found) and "hunter2" not in str(found.found)
    assert "hunter2" not in repr(contract.check_text("password: hunter2\n"))


def test_flaws_of_a_contract_raise():
    with pytest.raises(tendon.TendonError) as raised:
        tendon.Contract({"type": "strin"})
    assert raised.value.diagnostics[0].place.file == "schema.json"


def test_contracts_of_other_languages():
    project = tendon.Project(azure_types=False)
    project.set_file("main.bicep", "@minLength(3)\nparam name string\nparam count int = 1\n")
    project.set_file("shop.thrift", 'struct Item { 1: required string sku (vt.pattern = "[A-Z]{3}"), 2: i32 n (vt.gt = "0") }\n')
    parameters = project.contract("main.bicep")
    assert parameters.is_valid({"name": "abc"})
    [found] = parameters.violations({"name": "ab"})
    assert (found.path, found.written.line) == ("name", 1)
    assert project.contract("main.bicep#count").is_valid(3)
    item = project.contract("shop.thrift#Item")
    assert item.is_valid({"sku": "ABC", "n": 1})
    assert [it.pointer for it in item.violations({"sku": "abc", "n": 0})] == ["/sku", "/n"]
    with pytest.raises(tendon.TendonError, match="no type"):
        project.contract("shop.thrift#Nothing")


def test_messages_are_validated_on_their_bytes():
    project = tendon.Project(azure_types=False)
    project.set_file("a.thrift", 'struct A { 1: required i32 n (vt.gt = "0") }\n')
    messages = project.messages("a.thrift#A")
    assert messages.validate(bytes([8, 0, 1, 0, 0, 0, 7, 0]))
    refused = messages.validate(bytes([8, 0, 1, 0, 0, 0, 0, 0]), "binary")
    assert not refused and [it.path for it in refused.violations] == ["A.n"]
    cut = messages.validate(bytes([8, 0]))
    assert not cut and cut.error
    with pytest.raises(ValueError, match="no protocol"):
        messages.validate(b"", "text")
