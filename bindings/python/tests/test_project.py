"""Projects: what comes out, where it points to, and what raises."""

import json
import re
import threading
from pathlib import Path

import pytest

import tendon

MAIN = """\
param name string
@secure()
param key string = 'hunter2'
resource store 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: 'westeurope'
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
}
output endpoint string = store.properties.primaryEndpoints.blob
"""


@pytest.fixture
def project():
    made = tendon.Project()
    made.set_file("main.bicep", MAIN)
    return made


def codes(found):
    return [f"{it.place.file}:{it.place.line}:{it.place.column} {it.code}" for it in found if it.severity == "error"]


def test_a_program_compiles(project):
    compiled = project.compile("main.bicep")
    assert codes(compiled.diagnostics) == []
    assert compiled.json()["parameters"]["name"] == {"type": "string"}


def test_what_is_wrong_has_a_place_and_a_fix(project):
    project.set_file("main.bicep", "output o string = '😀${a}'\nvar counter = 1\noutput p int = countr\n")
    compiled = project.compile("main.bicep")
    assert codes(compiled.diagnostics) == ["main.bicep:1:23 BCP057", "main.bicep:3:16 BCP057"]
    with pytest.raises(tendon.TendonError) as raised:
        compiled.json()
    assert codes(raised.value.diagnostics) == codes(compiled.diagnostics)
    assert isinstance(raised.value, ValueError)
    assert str(raised.value).startswith("main.bicep:1:23: error[BCP057]")
    project.set_file("main.bicep", "param p string = '${'a'}'\noutput o string = p\n")
    [mended] = [it for it in project.compile("main.bicep").diagnostics if it.code == "simplify-interpolation"]
    [(place, text)] = mended.fixes[0].replacements
    assert (place.start, place.end, text) == (17, 25, "'a'")


def test_the_types_of_azure_are_known():
    without = tendon.Project(azure_types=False)
    known = tendon.Project()
    for each in (without, known):
        each.set_file("a.bicep", MAIN.replace("kind:", "properties: { allowBlob: true }\n  kind:"))
    warned = [it.code for it in known.compile("a.bicep").diagnostics]
    assert "BCP037" in warned
    assert "BCP037" not in [it.code for it in without.compile("a.bicep").diagnostics]


def test_a_folder_is_read_and_files_over_it_win(tmp_path):
    (tmp_path / "modules").mkdir()
    (tmp_path / "main.bicep").write_text("module part 'modules/part.bicep' = {}\n")
    (tmp_path / "modules/part.bicep").write_text("output o int = 1\n")
    project = tendon.Project(tmp_path)
    assert project.compile("main.bicep").template is not None
    project.set_file("modules/part.bicep", "param needed string\n")
    [found] = codes(project.compile("main.bicep").diagnostics)
    assert found.endswith("main.bicep:1:8 BCP035")
    assert (tmp_path / "modules/part.bicep").read_text() == "output o int = 1\n"


def test_a_program_is_formatted(project):
    project.set_file("a.bicep", "param   a   int\n")
    assert project.format("a.bicep") == "param a int\n"
    project.set_file("a.bicep", "param a int =\n")
    with pytest.raises(tendon.TendonError):
        project.format("a.bicep")


def test_a_prediction_is_told_parameters_and_mocks(project):
    mocks = {"reference": {"store": {"primaryEndpoints": {"blob": "https://b/"}}}}
    predicted = project.snapshot("main.bicep", {"name": "shop"}, mocks, scope="/subscriptions/s/resourceGroups/g")
    assert predicted["outputs"] == {"endpoint": "https://b/"}
    assert predicted["predictedResources"][0]["name"] == "shop"
    assert "hunter2" not in json.dumps(predicted)
    assert project.evaluate("main.bicep", "toUpper(parameters('name'))", "name: shop") == "SHOP"
    assert project.picture("main.bicep").startswith("<svg ")
    with pytest.raises(tendon.TendonError) as raised:
        project.snapshot("main.bicep", {"name": 3})
    assert codes(raised.value.diagnostics) == ["parameters:1:10 InvalidTemplate"]
    with pytest.raises(ValueError):
        project.picture("main.bicep", "png")


def test_threads_share_a_project(project):
    wrong = []

    def work(number):
        for _ in range(5):
            project.set_file(f"{number}.bicep", f"output o int = {number}\n")
            if project.compile(f"{number}.bicep").json()["outputs"]["o"]["value"] != number:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_nests_without_end_ends(project):
    project.set_file("a.bicep", "var a = " + "[" * 240 + "]" * 240 + "\noutput o array = a\n")
    assert project.compile("a.bicep").template is not None
    project.set_file("a.bicep", "var a = " + "[" * 100_000 + "\n")
    assert project.compile("a.bicep").template is None


def test_the_example_of_the_page_runs():
    page = Path(__file__).parents[3] / "docs/embedding.md"
    [example] = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    exec(compile(example, "embedding.md", "exec"), {})
