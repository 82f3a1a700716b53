//! A benchmark page of a run, as projects publish them: what is claimed, what was raced and how, tables and charts.
//!
//! It is about how the entries of head stand to each other, where the other forms are about head and base. Everything in it
//! follows from the results. Known limits: lists and charts hold up to a count, the tables hold everything.

mod ahead;
mod caveats;
mod chart;
mod charts;
mod claims;
mod field;
mod layers;
mod measured;
mod names;
mod raced;
mod series;
mod tables;
mod view;
mod whole;
mod words;

#[cfg(test)]
mod tests;

pub use whole::{NoPage, Page, Picture, page};
