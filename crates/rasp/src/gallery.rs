//! Programs to start from, each with an input that shows what it does.

use serde::Serialize;

/// A program of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// A stable name, also the key of its title in tables of translations.
    pub id: &'static str,
    /// What it belongs to.
    pub shelf: Shelf,
    /// Where what it computes comes from. The programs themselves are written for this gallery.
    pub origin: &'static str,
    /// The program.
    pub source: &'static str,
    /// An input for it, as [`Input::parse`](crate::Input::parse) reads it.
    pub input: &'static str,
}

impl Entry {
    /// What it computes, as the first line of the program says it.
    pub fn statement(&self) -> &'static str {
        self.source.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default()
    }
}

/// The shelves of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Shelf {
    /// How often something occurs.
    Counting,
    /// What stands where.
    Order,
    /// Brackets and numbers, letter by letter.
    Languages,
    /// What holds between some of the numbers.
    Relations,
    /// Linear algebra on matrices that are written row after row.
    Matrices,
    /// Attention, simulated by attention.
    Attention,
    /// The rest of an encoder layer, and all of it.
    Encoder,
}

impl Shelf {
    /// All, in the order in which they are best read.
    pub const ALL: [Shelf; 7] = [
        Shelf::Counting,
        Shelf::Order,
        Shelf::Languages,
        Shelf::Relations,
        Shelf::Matrices,
        Shelf::Attention,
        Shelf::Encoder,
    ];

    /// What stands on it.
    pub fn entries(self) -> impl Iterator<Item = &'static Entry> {
        GALLERY.iter().filter(move |entry| entry.shelf == self)
    }
}

const RASP: &str = "Weiss, Goldberg, Yahav 2021";
const TRACR: &str = "Lindner et al. 2023 (Tracr)";
const ADDITION: &str = "Zhou et al. 2023 (RASP-L)";
const INDUCTION: &str = "Olsson et al. 2022";
const MATCH_2: &str = "Sanford, Hsu, Telgarsky 2023";

macro_rules! gallery {
    ($($shelf:ident { $($id:ident $origin:expr, $input:literal)* })*) => {
        /// The gallery, in the order in which it is best read.
        pub const GALLERY: &[Entry] = &[
            $($(Entry {
                id: stringify!($id),
                shelf: Shelf::$shelf,
                origin: $origin,
                source: include_str!(concat!("../gallery/", stringify!($id), ".rasp")),
                input: $input,
            },)*)*
        ];
    };
}

gallery! {
    Counting {
        histogram RASP, "hello"
        double_histogram RASP, "mississippi"
        most_frequent RASP, "mississippi"
        frequency_so_far TRACR, "banana"
    }
    Order {
        reverse RASP, "pianola"
        sort RASP, "universal"
        induction INDUCTION, "abcabdab"
    }
    Languages {
        dyck_1 RASP, "(()())())"
        dyck_2 RASP, "{()}({)}"
        long_addition ADDITION, "0358+0642"
    }
    Relations {
        match_2 MATCH_2, "[3, 1, 4, 10, 6, 5]"
        k_parity "USA", "[1, 0, 1, 1, 0, 1]"
    }
    Matrices {
        transpose "USA, Lemma 3", "[1, 2, 3, 4, 5, 6]"
        matmul "USA, Lemma 5", "[1, 2, 3, 4, 5, 6, 1, 0, 0, 1, 1, 1]"
        affine "USA, Lemma 5", "[1, 2, 3, 4, 1, 0, 1, 0, 1, 1, 0.5, 0, -0.5]"
        determinant "USA", "[2, 0, 1, 1, 3, 2, 1, 1, 4]"
        inverse_2 "USA", "[2, 1, 1, 1]"
        inverse "USA", "[2, 0, 1, 1, 3, 2, 1, 1, 4]"
    }
    Attention {
        softmax "USA, Lemma 4", "[1, 2, 3, 0, 0, 1]"
        hard_max "USA, Theorem 6", "[1, 3, 3, 0, 2, 1]"
        attention "USA, Theorem 6", "[1, 0, 0, 1, 1, 1, 1, 0.5, -0.5, 1, 1, 0, 0, 2]"
        hard_attention "USA, Theorem 6", "[1, 0, 0, 1, 1, 1, 1, 0.5, -0.5, 1, 1, 0, 0, 2]"
        multi_head "USA, Theorem 9", "[1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 3, 4, 0, 1, 1, 0, 1, 0, 0, -1]"
    }
    Encoder {
        activation "USA, Corollary 6.1", "[1, 3, -2, -1, 4, 2]"
        feed_forward "USA, Corollary 6.1", "[1, -1, 0.5, 2, 1, 1, -1, 1, 0, 0.5, 1, 0, 1, 1, 0, 0]"
        encoder "USA, Corollary 9.1", "[1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 3, 4, 0, 1, 1, 0, 1, 0, 0, -1, 1, -1, 0, 0, 1, 1, 0, 0, 0.5, 1, 0, 0, 1, 1, 1, 0, 0]"
    }
}

/// The entry with this id.
pub fn entry(id: &str) -> Option<&'static Entry> {
    GALLERY.iter().find(|entry| entry.id == id)
}
