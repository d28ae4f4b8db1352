//! `mapo fleet status`: who takes part, and how it goes.

use super::ServerArgs;
use crate::{Outcome, print};
use clap::Args;
use mapo_fleet::{Assistance, Dropped, JobStatus, job_status, status};

/// Say who takes part in a run or a job, and how it goes.
#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    server: ServerArgs,
    /// The run's, or the job's, name on the server.
    #[arg(long, value_name = "NAME")]
    run: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Status {
    pub fn execute(self) -> Outcome {
        let server = self.server.connect_alone()?;
        if let Some(job) = job_status(&server, &self.run)? {
            return self.job(&job);
        }
        let status = status(&server, &self.run)?;
        if self.json {
            return print(serde_json::to_string(&status)?);
        }
        let how = match (status.is_over, status.has_learner) {
            (true, _) => "over",
            (false, true) => "goes on",
            (false, false) => "waits for a learner",
        };
        print(format_args!("run       {}: {how}", status.name))?;
        if let Some(learner) = &status.learner {
            let step = status.reached.map_or(learner.step, |reached| reached.step);
            print(format_args!(
                "learner   {}, epoch {}: step {step} of {}, {:.2} a second",
                learner.name, learner.epoch, learner.steps, learner.speed
            ))?;
            if let Some(policy) = status.policy {
                let age = step.saturating_sub(policy.step);
                print(format_args!("policy    of step {}, {age} steps old", policy.step))?;
            }
        }
        print(format_args!(
            "queue     {} of {} batches",
            status.queued, status.room
        ))?;
        let Dropped {
            unreadable,
            other_epoch,
            too_old,
            wrong,
        } = status.dropped;
        print(format_args!(
            "dropped   {too_old} too old, {other_epoch} of another learner, {wrong} twice or wrong, {unreadable} unreadable"
        ))?;
        print(format_args!(
            "memories  {} rounds and turns logged, {:.1} MB",
            status.log_messages,
            status.log_bytes as f64 / 1e6
        ))?;
        print(format_args!(
            "shards    {} of {} with an actor",
            status.shards_held, status.shards
        ))?;
        let assistance = status.learner.as_ref().and_then(|learner| learner.assistance);
        if let Some(assistance) = assistance.filter(|assistance| *assistance != Assistance::default()) {
            let Assistance {
                assistants,
                gradients,
                late,
                wrong,
            } = assistance;
            print(format_args!(
                "assisted  by {assistants}: {gradients} gradients, {late} too late, {wrong} twice or wrong"
            ))?;
        }
        for assistant in &status.assistants {
            print(format_args!(
                "assistant {}: {} threads, {:.2} batches a second, {} in all; {}",
                assistant.name, assistant.threads, assistant.speed, assistant.batches, assistant.doing
            ))?;
        }
        for actor in &status.actors {
            let policy = actor.policy.map_or("no policy".to_owned(), |policy| {
                format!("policy of step {}", policy.step)
            });
            print(format_args!(
                "actor     {}: {} threads, {} shards, {:.2} batches a second, {} in all, {policy}; {}",
                actor.name, actor.threads, actor.shards, actor.speed, actor.batches, actor.doing
            ))?;
        }
        Ok(())
    }
    fn job(&self, job: &JobStatus) -> Outcome {
        if self.json {
            return print(serde_json::to_string(job)?);
        }
        print(format_args!(
            "job       {}: {} of {} tasks done",
            job.name, job.done, job.tasks
        ))?;
        print(format_args!("steps     {} of {}", job.steps, job.of))?;
        for (task, worker) in &job.at_work {
            print(format_args!("worker    {worker}: {task}"))?;
        }
        Ok(())
    }
}
