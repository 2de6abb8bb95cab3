//! Single resources and records, for those who change them without a deployment.

use std::sync::Arc;

use arm::Value;
use store::{BatchId, Commit, Condition, DeploymentKey, Like, Outcome, Page, ResourceId, RunId, Write};

use crate::core::{Act, Answer, Put};
use crate::deploy::{Engine, Refused, random};
use crate::record::nested_templates;
use crate::records::{self, Record, TEMPLATE, link_blob, parse};
use crate::{Failure, admit_body};

/// How often a provider that is not done yet is asked again.
const MOST_LOOKS: usize = 600;

/// How often a resource is put again because what it was made from has changed.
const MOST_CONFLICTS: usize = 100;

/// The code of what was not written because something it was made from has changed.
const CHANGED: &str = "Conflict";

impl Engine {
    /// The state of a resource; nothing if there is none.
    pub async fn resource(&self, id: &str, api_version: &str) -> Result<Option<Value>, Refused> {
        match self.provider.get(id, api_version).await {
            Answer::Done(response) => Ok(Some(response.body)),
            Answer::Missing => Ok(None),
            Answer::Failed(failure) => Err(Refused::Failure(failure)),
            Answer::Running { .. } => Err(unfinished(id)),
        }
    }

    /// Puts a resource, or changes a part of one, and gives its state. What its type calls a secret is one.
    pub async fn put_resource(self: &Arc<Engine>, put: &Put) -> Result<Value, Refused> {
        let body = self.provider.marked(&put.kind, &put.api_version, put.body.get());
        let body = admit_body(&put.id, body).map_err(Refused::Failure)?;
        let put = &Put { body, ..put.clone() };
        let mut answer = self.provider.put(put).await;
        let mut conflicts = 0;
        for _ in 0..MOST_LOOKS {
            match answer {
                Answer::Done(response) => match self.keep(response.writes, Vec::new(), Vec::new()).await {
                    // Somebody changed what it was made from.
                    Err(Refused::Failure(failure))
                        if failure.code == CHANGED && conflicts < MOST_CONFLICTS =>
                    {
                        conflicts += 1;
                        answer = self.provider.put(put).await;
                    }
                    kept => return kept.map(|()| response.body),
                },
                Answer::Missing => return Err(Refused::Failure(not_found(&put.id))),
                Answer::Failed(failure) => return Err(Refused::Failure(failure)),
                Answer::Running { after } => {
                    tokio::time::sleep(std::time::Duration::from_millis(after.max(1))).await;
                    answer = self.provider.get(&put.id, &put.api_version).await;
                }
            }
        }
        Err(unfinished(&put.id))
    }

    /// Calls an action of a resource.
    pub async fn act(&self, act: &Act) -> Result<Option<Value>, Refused> {
        match self.provider.action(act).await {
            Answer::Done(response) => Ok(Some(response.body)),
            Answer::Missing => Ok(None),
            Answer::Failed(failure) => Err(Refused::Failure(failure)),
            Answer::Running { .. } => Err(unfinished(&act.id)),
        }
    }

    /// Deletes a resource and what is inside it; false if there is none.
    pub async fn delete_resource(self: &Arc<Engine>, id: &str) -> Result<bool, Refused> {
        let Some(records) = self.deleted(id).await? else { return Ok(false) };
        self.keep(records, Vec::new(), Vec::new()).await?;
        Ok(true)
    }

    /// Deletes a resource group, with its resources and the records of its deployments; refused while one of them is under way.
    pub async fn delete_group(self: &Arc<Engine>, id: &str) -> Result<(), Refused> {
        let mut conflicts = 0;
        loop {
            match self.try_delete_group(id).await {
                // Somebody put something into it, which goes as well.
                Err(Refused::Failure(failure)) if failure.code == CHANGED && conflicts < MOST_CONFLICTS => {
                    conflicts += 1;
                }
                ended => return ended,
            }
        }
    }

    async fn try_delete_group(self: &Arc<Engine>, id: &str) -> Result<(), Refused> {
        let keys: Vec<DeploymentKey> =
            self.store.deployments(Some(id), Page::ALL)?.into_iter().map(|found| found.key).collect();
        let mut conditions: Vec<Condition> = keys.iter().cloned().map(Condition::NotActive).collect();
        let writes = keys.into_iter().map(Write::DeleteDeployment).collect();
        let records = self.deleted(id).await?.unwrap_or_default();
        let deleted = records.iter().filter_map(|record| {
            let Record::DeleteResource { id } = record else { return None };
            Some(ResourceId::new(id))
        });
        // What is put needs its group. So either this finds the group without anything else in it, or that finds no group.
        conditions.push(Condition::NoResource(Like::new(&format!("{id}/"), "").except(deleted)));
        self.keep(records, conditions, writes).await
    }

    /// Forgets a deployment; refused while it is under way. Its resources stay.
    pub async fn delete_deployment(self: &Arc<Engine>, key: &DeploymentKey) -> Result<(), Refused> {
        let conditions = vec![Condition::NotActive(key.clone())];
        self.keep(Vec::new(), conditions, vec![Write::DeleteDeployment(key.clone())]).await
    }

    /// Forgets runs that have ended, all of them or, if one is another run by now, none.
    pub async fn forget(
        self: &Arc<Engine>,
        runs: impl IntoIterator<Item = (DeploymentKey, RunId)>,
    ) -> Result<(), Refused> {
        let (mut conditions, mut writes) = (Vec::new(), Vec::new());
        for (key, run) in runs {
            conditions.push(Condition::Current(key.clone(), run));
            conditions.push(Condition::NotActive(key.clone()));
            writes.push(Write::DeleteDeployment(key));
        }
        self.keep(Vec::new(), conditions, writes).await
    }

    /// The text of the template of a deployment, as it was given; nothing if it is not kept any more.
    pub fn template_of(&self, deployment: &store::Deployment) -> Result<Option<Vec<u8>>, Refused> {
        if deployment.run == deployment.root {
            return Ok(self.store.blob(deployment.run, TEMPLATE)?);
        }
        for name in nested_templates(&parse(&deployment.body)?).into_iter().flatten() {
            if let Some(text) = self.store.blob(deployment.root, &link_blob(&name))? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// What deleting a resource changes.
    async fn deleted(&self, id: &str) -> Result<Option<Vec<Record>>, Refused> {
        match self.provider.delete(id).await {
            Answer::Done(response) => Ok(Some(response.writes)),
            Answer::Missing => Ok(None),
            Answer::Failed(failure) => Err(Refused::Failure(failure)),
            Answer::Running { .. } => Err(unfinished(id)),
        }
    }

    /// Makes changes durable, all of them or none.
    async fn keep(
        self: &Arc<Engine>,
        records: Vec<Record>,
        mut conditions: Vec<Condition>,
        mut writes: Vec<Write>,
    ) -> Result<(), Refused> {
        let is_of_deployment =
            |condition: &&Condition| matches!(condition, Condition::NotActive(_) | Condition::Current(..));
        let deployments = conditions.iter().take_while(is_of_deployment).count();
        conditions.extend(records.iter().filter_map(records::condition));
        for record in &records {
            if let Err(error) = records::encode(record, &self.key, &mut writes) {
                self.provider.settled(&records);
                return Err(error.into());
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        let id = BatchId { run: RunId(u128::from_be_bytes(random()?)), number: 0 };
        let commit = Commit { id, fence: None, conditions, writes };
        let engine = Arc::clone(self);
        let write = move || engine.store.commit(&[commit]).pop();
        let outcome = if self.store.is_instant() {
            write()
        } else {
            tokio::task::spawn_blocking(write)
                .await
                .unwrap_or_else(|error| Some(Outcome::Unknown(error.to_string())))
        };
        // What was not written did not happen.
        self.provider.settled(&records);
        match outcome {
            Some(Outcome::Committed) => Ok(()),
            Some(Outcome::Conflict { condition }) if condition >= deployments => {
                let message = "what this depends on was changed at the same time; try again";
                Err(Refused::Failure(Failure::new(CHANGED, message)))
            }
            Some(Outcome::Conflict { .. }) => {
                let message = "a deployment is under way; wait for it, or cancel it";
                Err(Refused::Failure(Failure::new("DeploymentActive", message)))
            }
            Some(Outcome::Unknown(why)) => Err(Refused::State(why)),
            Some(Outcome::Fenced) | None => Err(Refused::State("the state was not written".to_owned())),
        }
    }
}

fn not_found(id: &str) -> Failure {
    Failure::new("ResourceNotFound", format!("the resource `{id}` was not found")).target(id)
}

fn unfinished(id: &str) -> Refused {
    let message = format!("`{id}` is still being changed; ask for it later");
    Refused::Failure(Failure::new("AnotherOperationInProgress", message).target(id))
}
