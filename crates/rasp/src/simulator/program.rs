//! The text of a simulator's program: from shapes and kinds alone.

use std::fmt::Write;

use super::class::{Activation, Attend, Class, Layout, Mask, Padding};

/// The program of a class. Its last value is the output of the layer.
pub(super) fn source(class: &Class, layout: &Layout) -> String {
    let mut text = String::new();
    write_program(&mut text, class, layout).map_or_else(|_| String::new(), |()| text)
}

fn write_program(text: &mut String, class: &Class, layout: &Layout) -> std::fmt::Result {
    let Class { rows, width, value_width, heads, .. } = class;
    writeln!(text, "# A universal simulator of attention: its input is the target.")?;
    for file in ["affine", "transpose", "softmax", "hard_max", "activation"] {
        writeln!(text, "load \"{file}\";")?;
    }
    writeln!(text, "\n# The shapes, and where each matrix starts.")?;
    writeln!(text, "n, d, w = {rows}, {width}, {value_width};")?;
    for stretch in &layout.stretches {
        if stretch.name != "scratch" {
            writeln!(text, "{} = {};", stretch.name, stretch.start)?;
        }
    }
    writeln!(text, "data = tokens_float;")?;
    let allowed = write_allowed(text, class)?;
    writeln!(text, "xt = transpose(data, x, n, d);")?;
    for h in 1..=*heads {
        let attend = match class.attend {
            Attend::Softmax => "masked_softmax",
            Attend::ShiftedSoftmax => "shifted_softmax",
            Attend::AverageHard => "masked_hard_max",
        };
        writeln!(text, "\n# Head {h}.")?;
        writeln!(text, "xa_{h} = matmul(data, x, data, a_{h}, n, d, d);")?;
        writeln!(text, "scores_{h} = matmul(xa_{h}, 0, xt, 0, n, d, n);")?;
        writeln!(text, "attention_{h} = {attend}(scores_{h}, {allowed}, n, n);")?;
        writeln!(text, "ax_{h} = matmul(attention_{h}, 0, data, x, n, n, d);")?;
        writeln!(text, "head_{h} = matmul(ax_{h}, 0, data, v_{h}, n, d, w);")?;
    }
    let sum: Vec<String> = (1..=*heads).map(|h| format!("head_{h}")).collect();
    writeln!(text, "\noutput = {};", sum.join(" + "))?;
    let Some(shape) = class.feed_forward else {
        return writeln!(text, "output;");
    };
    let activation = match shape.activation {
        Activation::Relu => "relu",
        Activation::MaxMin => "maxmin",
    };
    writeln!(text, "\n# The feed-forward sub-layer.")?;
    writeln!(text, "f, e = {}, {};", shape.hidden, shape.output)?;
    writeln!(text, "hidden = affine(output, 0, data, w1, data, b1, n, w, f);")?;
    writeln!(text, "activated = {activation}(hidden);")?;
    writeln!(text, "feed_forward = affine(activated, 0, data, w2, data, b2, n, f, e);")?;
    writeln!(text, "feed_forward;")
}

/// Which pairs of query and key count; gives the expression that says so.
fn write_allowed(text: &mut String, class: &Class) -> Result<&'static str, std::fmt::Error> {
    let mut conditions = Vec::new();
    if class.mask == Mask::Causal {
        conditions.push("column(n) <= row(n)");
    }
    if class.padding == Padding::Masked {
        conditions.push("fetch(data, column(n) + valid) == 1");
    }
    if conditions.is_empty() {
        return Ok("indices < n * n");
    }
    writeln!(text, "allowed = {};", conditions.join(" and "))?;
    Ok("allowed")
}
