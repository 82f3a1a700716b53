//! The two sides of a race.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which of the two commits something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The commit that the pull request starts from.
    Base,
    /// The pull request's own commit.
    Head,
}

impl Side {
    /// Both sides, base first.
    pub const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// The opposite side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Base => Self::Head,
            Self::Head => Self::Base,
        }
    }

    /// `base` or `head`; both are four letters long, which keeps the paths built from them equal in length.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PerSide<T> {
    /// The value of base.
    pub base: T,
    /// The value of head.
    pub head: T,
}

impl<T> PerSide<T> {
    /// Makes both values with `make`, base first.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        Self { base: make(Side::Base), head: make(Side::Head) }
    }

    /// The value of `side`.
    pub fn get(&self, side: Side) -> &T {
        match side {
            Side::Base => &self.base,
            Side::Head => &self.head,
        }
    }

    /// The value of `side`, to change.
    pub fn get_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Base => &mut self.base,
            Side::Head => &mut self.head,
        }
    }

    /// Both values turned into others, base first.
    pub fn map<U>(self, mut f: impl FnMut(Side, T) -> U) -> PerSide<U> {
        PerSide { base: f(Side::Base, self.base), head: f(Side::Head, self.head) }
    }
}
