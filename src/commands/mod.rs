//! One file per subcommand: the sequence of a use case, no arithmetic.

mod init;
mod load_configuration;
mod outcome;
mod progress;
mod schema;
mod surroundings;

pub use init::{InitError, init, init_message};
pub use load_configuration::{
    CONFIGURATION_NAME, LoadError, Loaded, find_and_load, find_configuration, load_configuration,
};
pub use outcome::{CommandError, Finish};
pub use schema::schema;
pub use surroundings::{Progress, Show, Surroundings};
