//! One file per subcommand: the sequence of a use case, no arithmetic.

mod announce;
mod baseline;
mod baseline_text;
mod check;
mod configured;
mod demo;
mod field;
mod init;
mod keep;
mod load;
mod load_configuration;
mod outcome;
mod own_directory;
mod places;
mod prepare;
mod progress;
mod referee;
mod report;
mod run;
mod schema;
mod sides;
mod stores;
mod surroundings;
mod tracks;

pub use baseline::baseline;
pub use check::check;
pub use demo::demo;
pub use init::{InitError, init, init_message};
pub use load::{LoadCommandError, load};
pub use load_configuration::{LoadError, Loaded, find_and_load, find_configuration, load_configuration};
pub use outcome::{CommandError, Finish};
pub use report::report;
pub use run::run;
pub use schema::schema;
pub use surroundings::{Progress, Show, Surroundings};
