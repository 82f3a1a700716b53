//! From an event to what is published of it.

use super::hand_in::{self, HandIn};
use super::ledger::Ledger;
use super::office::Office;
use super::{completed, dispatched, summary};
use crate::cli::PublishArgs;
use crate::commands::api::{self, Access};
use crate::commands::outcome::{CommandError, Finish};
use crate::commands::surroundings::Surroundings;
use crate::github::{
    ActionsContext, Answered, ApiError, Client, ConfigurationPath, Event, IssueComment, Noted, Posted, RunAction,
    WorkflowRun, answer_comment, in_actions,
};
use crate::model::{PullNumber, RunId};
use std::path::Path;

/// What is to be done.
enum Task {
    Begin(WorkflowRun),
    Complete(WorkflowRun),
    Dispatched(WorkflowRun, Option<PullNumber>),
    Answer(IssueComment),
    Nothing(&'static str),
}

/// Publishes what the event, or the arguments, ask for.
///
/// # Errors
/// [`CommandError`]; the results stay where they are, and the text says how to publish them again.
pub fn publish(
    around: &mut Surroundings,
    arguments: &PublishArgs,
    configuration: Option<&Path>,
) -> Result<Finish, CommandError> {
    let path = configuration.map_or("deadheat.toml".into(), |path| path.to_string_lossy());
    let configuration = ConfigurationPath::new(&path).map_err(CommandError::usage)?;
    let access = Access::of(around)?;
    let client = access.client(around, arguments.dry_run)?;
    let context =
        in_actions(&around.environment).then(|| ActionsContext::from_environment(&around.environment)).transpose();
    let context = context.map_err(CommandError::usage)?;
    let file = arguments.results.as_ref().map(|file| read_file(around, file)).transpose()?;
    let (ledger, noted) = api::wait(async {
        let mut ledger = Ledger::default();
        let task = task(&client, arguments, context.as_ref()).await?;
        let client = carry_out(client, task, file, configuration, arguments, context.as_ref(), &mut ledger).await?;
        Ok::<_, CommandError>((ledger, client.noted()))
    })
    .map_err(|error| match error {
        CommandError::Infrastructure(text) => {
            CommandError::Infrastructure(format!("{text}\n{}", again(arguments, context.as_ref())))
        }
        other => other,
    })?;
    let mut text: String = noted.iter().map(shown).collect();
    for line in ledger.lines() {
        text.push_str(line);
        text.push('\n');
    }
    around.print_text("published", &text)?;
    if ledger.failures().is_empty() {
        return Ok(Finish::Done);
    }
    Err(CommandError::Infrastructure(format!(
        "{}\n{}",
        ledger.failures().join("\n"),
        again(arguments, context.as_ref())
    )))
}

/// A request that was not sent, for people: its line, and its body below.
fn shown(noted: &Noted) -> String {
    let body = serde_json::to_string_pretty(&noted.body).unwrap_or_default();
    format!("{} {}\n{body}\n\n", noted.method, noted.path)
}

/// How to publish again.
fn again(arguments: &PublishArgs, context: Option<&ActionsContext>) -> String {
    let by_hand = "GITHUB_REPOSITORY=OWNER/NAME GITHUB_TOKEN=... deadheat publish --run ID";
    match (context, &arguments.results) {
        (Some(_), None) => {
            format!("the results stay in the run's artifact: run this job again, or publish by hand with `{by_hand}`")
        }
        (_, Some(file)) => format!("the results stay in {}: run the same command again", file.display()),
        (None, None) => "the results stay in the run's artifact: run the same command again".to_owned(),
    }
}

fn read_file(around: &Surroundings, file: &Path) -> Result<HandIn, CommandError> {
    let path = around.directory.join(file);
    hand_in::read_file(&path)
        .map_err(|error| CommandError::usage(format!("failed to read {}: {error}", path.display())))
}

async fn task(
    client: &Client,
    arguments: &PublishArgs,
    context: Option<&ActionsContext>,
) -> Result<Task, CommandError> {
    if let Some(id) = arguments.run {
        let run = client.workflow_run(RunId(id)).await?;
        return Ok(match run {
            run if run.is_dispatched() => Task::Dispatched(run, arguments.pr.map(PullNumber)),
            run if run.conclusion.is_none() => Task::Begin(run),
            run => Task::Complete(run),
        });
    }
    let Some(context) = context else {
        return Err(CommandError::usage(
            "failed to tell what to publish: this is no job of GitHub Actions; name a run of the workflow with --run ID",
        ));
    };
    match context.event().map_err(CommandError::usage)? {
        Event::WorkflowRun(event) if event.run.is_dispatched() => {
            Ok(Task::Nothing("nothing to do: a dispatched run is published by its own second job"))
        }
        Event::WorkflowRun(event) => Ok(match event.action {
            RunAction::Requested | RunAction::InProgress => Task::Begin(event.run),
            RunAction::Completed => Task::Complete(event.run),
        }),
        Event::Dispatch(event) => {
            let pull = event.inputs.pull().map_err(CommandError::usage)?;
            let mut run = client.workflow_run(context.run_id).await?;
            // The job that publishes is part of the attempt, whatever a newer one may be.
            run.attempt = context.run_attempt;
            Ok(Task::Dispatched(run, pull))
        }
        Event::IssueComment(event) => Ok(Task::Answer(event)),
        Event::PullRequest(_) | Event::Push(_) | Event::MergeGroup(_) | Event::Other(_) => {
            Err(CommandError::usage(format!(
                "failed to publish for the event {}: the job that it starts runs the pull request's code and may hold no token; \
                 publish from a workflow that workflow_run starts, as `deadheat init` writes it",
                context.event_name
            )))
        }
    }
}

async fn carry_out(
    client: Client,
    task: Task,
    file: Option<HandIn>,
    configuration: ConfigurationPath,
    arguments: &PublishArgs,
    context: Option<&ActionsContext>,
    ledger: &mut Ledger,
) -> Result<Client, CommandError> {
    let (run, number) = match task {
        Task::Nothing(why) => {
            ledger.say(why);
            return Ok(client);
        }
        Task::Answer(event) => {
            let answered = answer_comment(&client, &event).await?;
            ledger.say(said(&answered));
            return Ok(client);
        }
        Task::Begin(run) => {
            let office = Office::open(client, configuration, None).await?;
            completed::begin(&office, &run, ledger).await;
            return Ok(office.client);
        }
        Task::Complete(run) => (run, None),
        Task::Dispatched(run, number) => (run, number),
    };
    let office = Office::open(client, configuration, arguments.templates.as_deref()).await?;
    let hand_in = match file {
        Some(file) => file,
        None => fetched(&office, &run, ledger).await,
    };
    let arrived = if run.is_dispatched() {
        let published = dispatched::publish(&office, &run, number, hand_in, ledger).await;
        published.map(|(arrived, publication)| {
            if let Some(context) = context {
                summary::write(context, &arrived, &publication, ledger);
            }
            arrived
        })
    } else {
        Some(completed::complete(&office, &run, hand_in, ledger).await)
    };
    if let (Some(context), Some(arrived)) = (context, &arrived) {
        summary::set_outputs(context, arrived, ledger);
    }
    Ok(office.client)
}

async fn fetched(office: &Office, run: &WorkflowRun, ledger: &mut Ledger) -> HandIn {
    let fetched: Result<HandIn, ApiError> = hand_in::fetch(&office.client, run.id, run.attempt).await;
    // The check is completed all the same, and publishing again repairs it.
    ledger.keep(fetched).unwrap_or(HandIn::Missing)
}

/// What was done about a comment.
fn said(answered: &Answered) -> String {
    match answered {
        Answered::NoCommand => "nothing to do: the comment is no new command on a pull request".to_owned(),
        Answered::Closed => "nothing is raced: the pull request is closed".to_owned(),
        Answered::NotAllowed => "nothing is raced: the comment's author may not write to the repository".to_owned(),
        Answered::Mistaken(Posted::Created(page) | Posted::There(page)) => format!("the command has mistakes: {page}"),
        Answered::Mistaken(Posted::Noted) | Answered::Noted => "a dry run: nothing was sent".to_owned(),
        Answered::Dispatched { head, .. } => format!("a race of {} was asked for", head.short()),
    }
}
