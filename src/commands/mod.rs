//! One file per subcommand: the sequence of a use case, no arithmetic.

mod announce;
mod api;
mod baseline;
mod baseline_text;
mod check;
mod configured;
mod deliver;
mod demo;
mod field;
mod init;
mod init_workflows;
mod keep;
mod load;
mod load_configuration;
mod log;
mod misread;
mod not_raced;
mod order;
mod outcome;
mod own_directory;
mod places;
mod prepare;
mod progress;
mod publish;
mod referee;
mod replay;
mod report;
mod resume;
mod run;
mod schema;
mod second_copy;
mod sides;
mod step;
mod stores;
mod surroundings;
mod tracks;

#[cfg(test)]
mod keep_tests;

pub use baseline::baseline;
pub use check::check;
pub use demo::demo;
pub use init::{InitError, Initialised, init, init_message};
pub use init_workflows::action_of_this_build;
pub use load::{LoadCommandError, load};
pub use load_configuration::{LoadError, Loaded, find_and_load, find_configuration, load_configuration};
pub use log::Log;
pub use misread::misread;
pub use outcome::{CommandError, Finish, RenderedMistakes};
pub use publish::publish;
pub use replay::replay_runs;
pub use report::report;
pub use run::run;
pub use schema::schema;
pub use surroundings::{Progress, Show, Surroundings};
