// The JavaScript SDK against a server. What it needs to know comes as JSON through standard input; `javascript.py` starts it.

import { readFileSync } from "node:fs";
import { ResourceManagementClient } from "@azure/arm-resources";
import { DeploymentsClient } from "@azure/arm-resourcesdeployments";
import { ClientSecretCredential } from "@azure/identity";

const given = JSON.parse(readFileSync(0, "utf8"));
const { url, tenant, client, subscription, password, templates, resolved } = given;

function check(what, holds, found) {
  if (!holds) {
    console.error(`FAILED: ${what}`, found);
    process.exit(1);
  }
  console.log(`  ${what}`);
}

/** The error that something ends with. */
async function refused(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  check("something is refused", false);
}

/** All items of a list that comes in pages. */
async function all(pages) {
  const items = [];
  for await (const item of pages) items.push(item);
  return items;
}

const credential = new ClientSecretCredential(tenant, client, "local", {
  authorityHost: url,
  disableInstanceDiscovery: true,
});
const options = { endpoint: url, credentials: { scopes: [`${url}/.default`] }, credentialScopes: [`${url}/.default`] };
const resources = new ResourceManagementClient(credential, subscription, options);
const { deployments, deploymentOperations } = new DeploymentsClient(credential, subscription, options);
const properties = (template, parameters = {}) => ({ properties: { mode: "Incremental", template, parameters } });

const group = await resources.resourceGroups.createOrUpdate("rg", { location: "local" });
check("log in, and create a group", group.properties.provisioningState === "Succeeded", group);

const main = properties(templates.main, { name: { value: "nodeacc" }, password: { value: password } });
const valid = await deployments.validate("rg", "one", main);
check("validate", valid.properties.validatedResources.length === 3, valid);
const changes = (await deployments.whatIf("rg", "one", main)).changes;
check("what-if", changes.every((change) => change.changeType === "Create") && changes.length === 3, changes);
const done = await deployments.createOrUpdate("rg", "one", main);
check("create", done.properties.provisioningState === "Succeeded", done);
check("outputs", done.properties.outputs.blob.value === "https://nodeacc.blob.core.windows.net/", done.properties.outputs);
check("no secret in the record", !JSON.stringify(done).includes(password), done);
const two = await deployments.createOrUpdate("rg", "two", properties(templates.main, resolved));
check("create from .bicepparam, resolved", two.properties.outputs.tag.value === "build-17", two);

const failure = await refused(() => deployments.createOrUpdate("rg", "bad", properties(templates.failing)));
check("a failure says why", /DeploymentFailed/.test(failure.message) && /nowhere/.test(failure.message), failure);
const odd = properties(templates.validated, { memory: { value: 1000 } });
const invalid = await refused(() => deployments.createOrUpdate("rg", "odd", odd));
check("a validator's message is shown", invalid.message.includes("1000 is not a multiple of 512"), invalid);
check("with its code", invalid.code === "InvalidTemplate" && invalid.statusCode === 400, invalid);
check("validate refuses it, too", await refused(() => deployments.validate("rg", "odd", odd)));

const names = (await all(deployments.listByResourceGroup("rg"))).map((one) => one.name);
check("list", names.sort().join() === "bad,one,two", names);
const operations = await all(deploymentOperations.list("rg", "one"));
check("operations", operations.length === 4, operations);
const exported = await deployments.exportTemplate("rg", "one");
check("export", exported.template.resources !== undefined, exported);
const hash = await deployments.calculateTemplateHash(templates.main);
check("hash", hash.templateHash === (await deployments.get("rg", "one")).properties.templateHash, hash);

const poller = deployments.createOrUpdate("rg", "endless", properties(templates.endless));
const ended = refused(() => poller);
// The SDK answers with an object even where there is no deployment.
let tries = 0;
while (tries < 1000 && !(await deployments.checkExistence("rg", "endless")).body) {
  tries += 1;
  await new Promise((resume) => setTimeout(resume, 10));
}
check("it is accepted", tries < 1000);
await deployments.cancel("rg", "endless");
const canceled = await ended;
check("cancel", /cancel/i.test(canceled.message), canceled);
const state = (await deployments.get("rg", "endless")).properties.provisioningState;
check("it is cancelled", state === "Canceled", state);

await deployments.delete("rg", "one");
const missing = await refused(() => deployments.get("rg", "one"));
check("delete", missing.code === "DeploymentNotFound" && missing.statusCode === 404, missing);

const text = { text: { value: "hello" } };
const atTenant = { location: "local", ...properties(templates.tenant, text) };
const t = await deployments.createOrUpdateAtTenantScope("t", atTenant);
check("create at the tenant", t.properties.outputs.text.value === "hello", t);
const atGroup = { location: "local", ...properties(templates.management, text) };
const m = await deployments.createOrUpdateAtManagementGroupScope("m", "d", atGroup);
check("create at a management group", m.properties.outputs.text.value === "hello", m);
const atSubscription = { location: "local", ...properties(templates.group, { name: { value: "made" } }) };
const s = await deployments.createOrUpdateAtSubscriptionScope("s", atSubscription);
check("create at the subscription", s.properties.outputs.id.value.endsWith("/made"), s);

const groups = (await all(resources.resourceGroups.list())).map((one) => one.name);
check("list groups", groups.join() === "made,rg", groups);
await resources.resourceGroups.beginDeleteAndWait("rg");
check("delete the group", !(await resources.resourceGroups.checkExistence("rg")).body);
