//! What the shell knows of a workspace's choices: how to ask them for their words in the URL. What they are comes
//! with the workspace.

use std::any::Any;
use std::fmt::Debug;

use super::Page;
use super::query::Query;

/// Everything that a person chose in one workspace.
pub trait Choices: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The workspace.
    const PAGE: Page;

    /// Writes what differs from the default.
    fn encode(&self, query: &mut Query);

    /// Reads a query. Unknown keys are ignored; a bad value is reported to the query and its default stands.
    fn decode(query: &mut Query) -> Self;

    /// Whether a link can carry all of this.
    fn fits_a_link(&self) -> bool {
        true
    }
}

/// The choices of one workspace, whichever it is.
#[derive(Debug)]
pub(super) enum Chosen {
    /// From a link to a workspace that has not been entered yet.
    Unread(Query),
    /// Of a workspace that is here.
    Known(Box<dyn AnyChoices>),
}

/// [`Choices`] of any kind.
pub(super) trait AnyChoices: Debug + Send + Sync {
    fn write(&self, query: &mut Query);
    fn read(&self, query: &mut Query) -> Box<dyn AnyChoices>;
    fn fits(&self) -> bool;
    fn copy(&self) -> Box<dyn AnyChoices>;
    fn is(&self, other: &dyn AnyChoices) -> bool;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Choices> AnyChoices for T {
    fn write(&self, query: &mut Query) {
        self.encode(query);
    }

    fn read(&self, query: &mut Query) -> Box<dyn AnyChoices> {
        Box::new(T::decode(query))
    }

    fn fits(&self) -> bool {
        self.fits_a_link()
    }

    fn copy(&self) -> Box<dyn AnyChoices> {
        Box::new(self.clone())
    }

    fn is(&self, other: &dyn AnyChoices) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Clone for Chosen {
    fn clone(&self) -> Chosen {
        match self {
            Chosen::Unread(query) => Chosen::Unread(query.clone()),
            Chosen::Known(choices) => Chosen::Known(choices.copy()),
        }
    }
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Chosen) -> bool {
        match (self, other) {
            (Chosen::Unread(query), Chosen::Unread(other)) => query == other,
            (Chosen::Known(choices), Chosen::Known(other)) => choices.is(&**other),
            _ => false,
        }
    }
}
