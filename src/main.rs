//! Parse, run, print the error, exit code; nothing else.

use clap::{CommandFactory, Parser};
use deadheat::cli::{Cli, Command, SchemaChoice};
use deadheat::commands::{self, CommandError, Finish, Show, Surroundings};
use deadheat::plan::SchemaName;
use deadheat::process::{CancelFlag, guard, parent_environment};
use deadheat::race::pass_through;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return commands::misread(&error, &parent_environment()),
    };
    match &cli.command {
        Command::Guard => return guard::run(),
        Command::PassThrough(arguments) => return pass_through::run(arguments.delay_ns, &arguments.argv),
        _ => {}
    }
    match run(&cli) {
        Ok(finish) => finish.into(),
        Err(error) => {
            error.tell(Show::asked(&cli, &parent_environment()).log);
            error.exit_code()
        }
    }
}

fn run(cli: &Cli) -> Result<Finish, CommandError> {
    let cancel = CancelFlag::new();
    for signal in [SIGINT, SIGTERM] {
        // The second signal ends this process at once; the guard then ends everything that it started.
        let handlers = signal_hook::flag::register_conditional_shutdown(signal, 130, cancel.flag())
            .and_then(|_| signal_hook::flag::register(signal, cancel.flag()));
        handlers.map_err(CommandError::infrastructure)?;
    }
    let mut around = Surroundings::of_process(cli, cancel).map_err(CommandError::Infrastructure)?;
    match &cli.command {
        Command::Demo(arguments) => commands::demo(&mut around, arguments),
        Command::Init(arguments) => {
            let action = arguments.action.clone().or_else(commands::action_of_this_build);
            let done = commands::init(&around.directory, action.as_ref()).map_err(CommandError::usage)?;
            around.print(&commands::init_message(&done))?;
            Ok(Finish::Done)
        }
        Command::Check(arguments) => commands::check(&mut around, arguments),
        Command::Run(arguments) => commands::run(&mut around, arguments),
        Command::Publish(arguments) => commands::publish(&mut around, arguments, cli.global.config.as_deref()),
        Command::Report(arguments) => commands::report(&mut around, arguments),
        Command::Replay(arguments) => commands::replay_runs(&mut around, arguments),
        Command::Baseline(arguments) => commands::baseline(&mut around, arguments),
        Command::Load(arguments) => commands::load(&mut around, arguments),
        Command::Calibrate(arguments) => commands::calibrate(&mut around, arguments),
        Command::Schema(arguments) => {
            let name = match arguments.name {
                SchemaChoice::Configuration => SchemaName::Configuration,
                SchemaChoice::Variant => SchemaName::Variant,
                SchemaChoice::Contract => SchemaName::Contract,
                SchemaChoice::Results => SchemaName::Results,
            };
            commands::schema(name, &mut around.stdout).map_err(CommandError::infrastructure)?;
            Ok(Finish::Done)
        }
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "deadheat", &mut around.stdout);
            Ok(Finish::Done)
        }
        Command::Guard | Command::PassThrough(_) => Ok(Finish::Done),
    }
}
