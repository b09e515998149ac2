//! Programs to start from, each with an input that shows what it does.

use serde::Serialize;

/// A program of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// A stable name, also the key of its title in tables of translations.
    pub id: &'static str,
    /// What it belongs to.
    pub group: Group,
    /// The program.
    pub source: &'static str,
    /// An input for it, as [`Input::parse`](crate::Input::parse) reads it.
    pub input: &'static str,
}

/// The shelves of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Group {
    /// What RASP is known for.
    Classic,
    /// What the universal simulator of attention is built from.
    Construction,
}

macro_rules! gallery {
    ($($group:ident { $($id:ident $input:literal)* })*) => {
        /// The gallery, in the order in which it is best read.
        pub const GALLERY: &[Entry] = &[
            $($(Entry {
                id: stringify!($id),
                group: Group::$group,
                source: include_str!(concat!("../gallery/", stringify!($id), ".rasp")),
                input: $input,
            },)*)*
        ];
    };
}

gallery! {
    Classic {
        histogram "hello"
        double_histogram "mississippi"
        reverse "pianola"
        sort "universal"
        most_frequent "mississippi"
        frequency_so_far "banana"
        dyck_1 "(()())())"
        dyck_2 "{()}({)}"
        long_addition "0358+0642"
        induction "abcabdab"
        match_2 "[3, 1, 4, 10, 6, 5]"
        k_parity "[1, 0, 1, 1, 0, 1]"
    }
    Construction {
        transpose "[1, 2, 3, 4, 5, 6]"
        matmul "[1, 2, 3, 4, 5, 6, 1, 0, 0, 1, 1, 1]"
        softmax "[1, 2, 3, 0, 0, 1]"
        hard_max "[1, 3, 3, 0, 2, 1]"
        determinant "[2, 0, 1, 1, 3, 2, 1, 1, 4]"
        inverse_2 "[2, 1, 1, 1]"
        inverse "[2, 0, 1, 1, 3, 2, 1, 1, 4]"
        activation "[1, 3, -2, -1, 4, 2]"
        affine "[1, 2, 3, 4, 1, 0, 1, 0, 1, 1, 0.5, 0, -0.5]"
        attention "[1, 0, 0, 1, 1, 1, 1, 0.5, -0.5, 1, 1, 0, 0, 2]"
        hard_attention "[1, 0, 0, 1, 1, 1, 1, 0.5, -0.5, 1, 1, 0, 0, 2]"
        feed_forward "[1, -1, 0.5, 2, 1, 1, -1, 1, 0, 0.5, 1, 0, 1, 1, 0, 0]"
        multi_head "[1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 3, 4, 0, 1, 1, 0, 1, 0, 0, -1]"
        encoder "[1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 3, 4, 0, 1, 1, 0, 1, 0, 0, -1, 1, -1, 0, 0, 1, 1, 0, 0, 0.5, 1, 0, 0, 1, 1, 1, 0, 0]"
    }
}

/// The entry with this id.
pub fn entry(id: &str) -> Option<&'static Entry> {
    GALLERY.iter().find(|entry| entry.id == id)
}
