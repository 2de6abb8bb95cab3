//! Single resources and records, for those who change them without a deployment.

use std::sync::Arc;

use arm::Value;
use machine::Failure;
use machine::core::{Act, ProviderReply, PutRequest};
use machine::records::admit_body;
use machine::records::{self, DeploymentRecord, Record, TEMPLATE, link_blob};
use store::{BatchId, Commit, CommitOutcome, Condition, DeploymentKey, Like, ResourceId, RunId, Write};

use crate::deploy::{Engine, StartError};
use crate::planned_record::nested_templates;
use crate::random::random;

/// How often a provider that is not done yet is asked again.
const MOST_LOOKS: usize = 600;

/// How often a resource is put again because what it was made from has changed.
const MOST_CONFLICTS: usize = 100;

/// The code of what was not written because something it was made from has changed.
const CHANGED: &str = "Conflict";

impl Engine {
    /// The state of a resource; nothing if there is none.
    pub async fn resource(&self, id: &str, api_version: &str) -> Result<Option<Value>, StartError> {
        match self.provider.get(id, api_version).await {
            ProviderReply::Done(response) => Ok(Some(response.body)),
            ProviderReply::Missing => Ok(None),
            ProviderReply::Failed(failure) => Err(StartError::Failure(failure)),
            ProviderReply::Running { .. } => Err(unfinished(id)),
        }
    }

    /// Puts a resource, or changes a part of one, and gives its state. What its type calls a secret is one.
    pub async fn put_resource(self: &Arc<Engine>, put: &PutRequest) -> Result<Value, StartError> {
        let body = self.provider.marked(&put.kind, &put.api_version, put.body.get());
        let body = admit_body(&put.id, body).map_err(StartError::Failure)?;
        let put = &PutRequest { body, ..put.clone() };
        let mut answer = self.provider.put(put).await;
        let mut conflicts = 0;
        for _ in 0..MOST_LOOKS {
            match answer {
                ProviderReply::Done(response) => {
                    match self.commit(response.writes, Vec::new(), Vec::new()).await {
                        // Somebody changed what it was made from.
                        Err(StartError::Failure(failure))
                            if failure.code == CHANGED && conflicts < MOST_CONFLICTS =>
                        {
                            conflicts += 1;
                            answer = self.provider.put(put).await;
                        }
                        kept => return kept.map(|()| response.body),
                    }
                }
                ProviderReply::Missing => return Err(StartError::Failure(not_found(&put.id))),
                ProviderReply::Failed(failure) => return Err(StartError::Failure(failure)),
                ProviderReply::Running { after } => {
                    tokio::time::sleep(std::time::Duration::from_millis(after.max(1))).await;
                    answer = self.provider.get(&put.id, &put.api_version).await;
                }
            }
        }
        Err(unfinished(&put.id))
    }

    /// Calls an action of a resource.
    pub async fn act(&self, act: &Act) -> Result<Option<Value>, StartError> {
        match self.provider.action(act).await {
            ProviderReply::Done(response) => Ok(Some(response.body)),
            ProviderReply::Missing => Ok(None),
            ProviderReply::Failed(failure) => Err(StartError::Failure(failure)),
            ProviderReply::Running { .. } => Err(unfinished(&act.id)),
        }
    }

    /// Deletes a resource and what is inside it; false if there is none.
    pub async fn delete_resource(self: &Arc<Engine>, id: &str) -> Result<bool, StartError> {
        let Some(records) = self.deleted(id).await? else { return Ok(false) };
        self.commit(records, Vec::new(), Vec::new()).await?;
        Ok(true)
    }

    /// Deletes a resource group, with its resources and the records of its deployments; refused while one of them is under way.
    pub async fn delete_group(self: &Arc<Engine>, id: &str) -> Result<(), StartError> {
        let mut conflicts = 0;
        loop {
            match self.try_delete_group(id).await {
                // Somebody put something into it, which goes as well.
                Err(StartError::Failure(failure))
                    if failure.code == CHANGED && conflicts < MOST_CONFLICTS =>
                {
                    conflicts += 1;
                }
                ended => return ended,
            }
        }
    }

    async fn try_delete_group(self: &Arc<Engine>, id: &str) -> Result<(), StartError> {
        let keys: Vec<DeploymentKey> = store::scan_deployments(&*self.store, Some(id))
            .map(|found| found.map(|found| found.key))
            .collect::<Result<_, _>>()?;
        let mut conditions: Vec<Condition> = keys.iter().cloned().map(Condition::NotActive).collect();
        let writes = keys.into_iter().map(Write::DeleteDeployment).collect();
        let records = self.deleted(id).await?.unwrap_or_default();
        let deleted = records.iter().filter_map(|record| {
            let Record::DeleteResource { id } = record else { return None };
            Some(ResourceId::new(id))
        });
        // What is put needs its group. So either this finds the group without anything else in it, or that finds no group.
        conditions.push(Condition::NoResource(Like::new(&format!("{id}/"), "").except(deleted)));
        self.commit(records, conditions, writes).await
    }

    /// Forgets a deployment; refused while it is under way. Its resources stay.
    pub async fn delete_deployment(self: &Arc<Engine>, key: &DeploymentKey) -> Result<(), StartError> {
        let conditions = vec![Condition::NotActive(key.clone())];
        self.commit(Vec::new(), conditions, vec![Write::DeleteDeployment(key.clone())]).await
    }

    /// Forgets runs that have ended, all of them or, if one is another run by now, none.
    pub async fn forget(
        self: &Arc<Engine>,
        runs: impl IntoIterator<Item = (DeploymentKey, RunId)>,
    ) -> Result<(), StartError> {
        let (mut conditions, mut writes) = (Vec::new(), Vec::new());
        for (key, run) in runs {
            conditions.push(Condition::Current(key.clone(), run));
            conditions.push(Condition::NotActive(key.clone()));
            writes.push(Write::DeleteDeployment(key));
        }
        self.commit(Vec::new(), conditions, writes).await
    }

    /// The text of the template of a deployment, as it was given; nothing if it is not kept any more.
    pub fn template_of(&self, deployment: &store::Deployment) -> Result<Option<Vec<u8>>, StartError> {
        if deployment.run == deployment.root {
            return Ok(self.store.blob(deployment.run, TEMPLATE)?);
        }
        for name in nested_templates(&DeploymentRecord::from_store(&deployment.body)?).into_iter().flatten() {
            if let Some(text) = self.store.blob(deployment.root, &link_blob(&name))? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// What deleting a resource changes.
    async fn deleted(&self, id: &str) -> Result<Option<Vec<Record>>, StartError> {
        match self.provider.delete(id).await {
            ProviderReply::Done(response) => Ok(Some(response.writes)),
            ProviderReply::Missing => Ok(None),
            ProviderReply::Failed(failure) => Err(StartError::Failure(failure)),
            ProviderReply::Running { .. } => Err(unfinished(id)),
        }
    }

    /// Makes changes durable, all of them or none.
    async fn commit(
        self: &Arc<Engine>,
        records: Vec<Record>,
        mut conditions: Vec<Condition>,
        mut writes: Vec<Write>,
    ) -> Result<(), StartError> {
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
                .unwrap_or_else(|error| Some(CommitOutcome::Unknown(error.to_string())))
        };
        // What was not written did not happen.
        self.provider.settled(&records);
        match outcome {
            Some(CommitOutcome::Committed) => Ok(()),
            Some(CommitOutcome::Conflict { condition }) if condition >= deployments => {
                let message = "what this depends on was changed at the same time; try again";
                Err(StartError::Failure(Failure::new(CHANGED, message)))
            }
            Some(CommitOutcome::Conflict { .. }) => {
                let message = "a deployment is under way; wait for it, or cancel it";
                Err(StartError::Failure(Failure::new("DeploymentActive", message)))
            }
            Some(CommitOutcome::Unknown(why)) => Err(StartError::Unavailable(why)),
            Some(CommitOutcome::Fenced) | None => {
                Err(StartError::State("the state was not written".to_owned()))
            }
        }
    }
}

fn not_found(id: &str) -> Failure {
    Failure::new("ResourceNotFound", format!("the resource `{id}` was not found")).target(id)
}

fn unfinished(id: &str) -> StartError {
    let message = format!("`{id}` is still being changed; ask for it later");
    StartError::Failure(Failure::new("AnotherOperationInProgress", message).target(id))
}
