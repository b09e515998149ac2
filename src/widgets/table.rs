//! Numbers as a real table.

use leptos::prelude::*;

use super::controls::{Button, Look};
use super::heatmap::{Axis, Cell, Matrix};
use super::icon::Icon;
use super::number::{exact, fill, grouped};
use super::words::{Words, use_words};
use crate::ground::parts::later;

/// A matrix as a table to the last digit; a large one is shown page by page.
#[component]
pub fn MatrixTable(
    /// What the numbers are.
    #[prop(into)]
    caption: Signal<String>,
    /// The numbers.
    #[prop(into)]
    matrix: Signal<Matrix>,
    /// What the rows are.
    #[prop(into)]
    rows: Signal<Axis>,
    /// What the columns are.
    #[prop(into)]
    cols: Signal<Axis>,
) -> impl IntoView {
    later(matrix_table(caption, matrix, rows, cols))
}

crate::part! { details:
    fn matrix_table(caption: Signal<String>, matrix: Signal<Matrix>, rows: Signal<Axis>, cols: Signal<Axis>) -> AnyView {
        view! { <Pages caption matrix rows cols/> }.into_any()
    }
}

#[component]
fn Pages(
    caption: Signal<String>,
    matrix: Signal<Matrix>,
    rows: Signal<Axis>,
    cols: Signal<Axis>,
) -> impl IntoView {
    let words = use_words();
    let row_page = Paged::new(Signal::derive(move || matrix.with(Matrix::rows)), ROWS);
    let col_page = Paged::new(Signal::derive(move || matrix.with(Matrix::cols)), COLS);
    let head = move || {
        col_page
            .shown()
            .map(|col| view! { <th scope="col">{cols.with(|axis| axis.label(col))}</th> })
            .collect_view()
    };
    let corner = move || {
        let (rows, cols) = (rows.with(|axis| axis.title.clone()), cols.with(|axis| axis.title.clone()));
        match (rows.is_empty(), cols.is_empty()) {
            (false, false) => format!("{rows} \\ {cols}"),
            _ => rows + &cols,
        }
    };
    let body = move || {
        row_page
            .shown()
            .map(|row| {
                let cells = col_page
                    .shown()
                    .map(|col| {
                        let shown = matrix.with(|matrix| matrix.shown(Cell::new(row, col)));
                        match shown {
                            Some(value) => view! { <td>{exact(value).replace('-', "−")}</td> }.into_any(),
                            None => {
                                let absent = matrix.with(|matrix| matrix.is_absent(Cell::new(row, col)));
                                let word = words.with(|words| match absent {
                                    true => words.not_yet.clone(),
                                    false => words.masked.clone(),
                                });
                                view! { <td class="quiet">{word}</td> }.into_any()
                            }
                        }
                    })
                    .collect_view();
                view! {
                    <tr>
                        <th scope="row">{rows.with(|axis| axis.label(row))}</th>
                        {cells}
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <div class="table">
            <div class="table-pages">
                <Pager paged=row_page text=|words| &words.rows_shown/>
                <Pager paged=col_page text=|words| &words.cols_shown/>
            </div>
            <div class="table-scroll" tabindex="0" role="region" aria-label=caption>
                <table>
                    <caption class="visually-hidden">{caption}</caption>
                    <thead>
                        <tr>
                            <td>{corner}</td>
                            {head}
                        </tr>
                    </thead>
                    <tbody>{body}</tbody>
                </table>
            </div>
        </div>
    }
    .into_any()
}

/// Any rows of text under headings, such as a comparison.
#[component]
pub fn TextTable(
    /// What the table shows.
    #[prop(into)]
    caption: Signal<String>,
    /// The headings of the columns.
    #[prop(into)]
    headings: Signal<Vec<String>>,
    /// The rows; the first text of each names it.
    #[prop(into)]
    rows: Signal<Vec<Vec<String>>>,
) -> impl IntoView {
    let head =
        move || headings.get().into_iter().map(|text| view! { <th scope="col">{text}</th> }).collect_view();
    let body = move || {
        rows.get()
            .into_iter()
            .map(|row| {
                let mut texts = row.into_iter();
                view! {
                    <tr>
                        <th scope="row">{texts.next()}</th>
                        {texts.map(|text| view! { <td>{text}</td> }).collect_view()}
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=caption>
            <table>
                <caption class="visually-hidden">{caption}</caption>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The matrix as comma-separated values with a row of column names and a column of row names; numbers to the last
/// digit, masked cells empty.
pub fn csv(matrix: &Matrix, rows: &Axis, cols: &Axis) -> String {
    let mut text = String::new();
    for col in 0..matrix.cols() {
        text.push(',');
        text.push_str(&csv_field(&cols.label(col)));
    }
    text.push('\n');
    for row in 0..matrix.rows() {
        text.push_str(&csv_field(&rows.label(row)));
        for col in 0..matrix.cols() {
            text.push(',');
            if let Some(value) = matrix.shown(Cell::new(row, col)) {
                text.push_str(&value.to_string());
            }
        }
        text.push('\n');
    }
    text
}

/// Rows and columns on one page of a table.
const ROWS: usize = 40;
const COLS: usize = 24;

/// Which of many rows or columns are shown.
#[derive(Clone, Copy)]
struct Paged {
    total: Signal<usize>,
    size: usize,
    page: RwSignal<usize>,
}

impl Paged {
    fn new(total: Signal<usize>, size: usize) -> Paged {
        Paged { total, size, page: RwSignal::new(0) }
    }

    fn last_page(self) -> usize {
        self.total.get().saturating_sub(1) / self.size
    }

    fn shown(self) -> std::ops::Range<usize> {
        let start = self.page.get().min(self.last_page()) * self.size;
        start..(start + self.size).min(self.total.get())
    }
}

#[component]
fn Pager(paged: Paged, text: fn(&Words) -> &str) -> impl IntoView {
    let words = use_words();
    let shown = move || {
        let range = paged.shown();
        let (first, last) = (grouped(range.start + 1), grouped(range.end));
        words.with(|words| {
            fill(text(words), &[("first", &first), ("last", &last), ("total", &grouped(paged.total.get()))])
        })
    };
    let turn = move |by: isize| {
        let last = untrack(|| paged.last_page());
        paged.page.update(|page| *page = page.saturating_add_signed(by).min(last));
    };
    view! {
        <Show when=move || { paged.last_page() > 0 }>
            <div class="pager">
                <Button
                    label=Signal::derive(move || words.with(|words| words.previous.clone()))
                    icon=Icon::Left
                    look=Look::Quiet
                    on_press=move |()| turn(-1)
                />
                <span aria-live="polite">{shown}</span>
                <Button
                    label=Signal::derive(move || words.with(|words| words.next.clone()))
                    icon=Icon::Right
                    look=Look::Quiet
                    on_press=move |()| turn(1)
                />
            </div>
        </Show>
    }
}

fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csv_file_holds_every_number_to_the_last_digit() {
        let third = 1.0 / 3.0;
        let matrix =
            Matrix::new(2, 2, vec![third, 2.0, f64::NAN, -1e-300]).masked(|row, col| (row, col) == (0, 1));
        let rows = Axis::new("q", "queries").named(["a", "b, c"]);
        let text = csv(&matrix, &rows, &Axis::new("k", "keys"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], ",0,1");
        assert_eq!(lines[1], format!("\"0 \"\"a\"\"\",{third},"));
        let last = lines[2].rsplit(',').next().expect("a number");
        assert_eq!(last.parse::<f64>().expect("a number"), -1e-300);
    }
}
