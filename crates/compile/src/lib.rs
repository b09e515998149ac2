//! Programs of RASP become weights: a compiler from the language of *Thinking Like Transformers* (Weiss, Goldberg,
//! Yahav 2021) to attention-only transformers (average-hard, residual), exactly.
//!
//! Tracr (Lindner et al. 2023) and ALTA compile to transformers with perceptrons. Here attention does all the work:
//! tables are memory tokens that stand before every input (as persistent memory vectors, Sukhbaatar et al. 2019, can
//! stand for feed-forward layers), and a head looks them up.
//!
//! ```
//! use compile::{Inputs, Request, Verifier, compile};
//! use rasp::{Input, Session};
//!
//! let source = "selector_width(select(tokens, tokens, ==));";
//! let request = Request::new(Request::vocabulary("abc").unwrap(), 6);
//! let program = compile(&Session::default(), source, &request, &|| false)?;
//! let (_, values) = program.compiled.run(&Input::parse("cabbca").unwrap()).unwrap();
//! assert_eq!(values.iter().map(ToString::to_string).collect::<String>(), "222222");
//!
//! // Beside the interpreter, on every input, on the target and on the universal transformer.
//! let inputs = Inputs::new(&program.compiled, 2_000, 0, 0);
//! let verifier = Verifier::new(&program.prepared, &program.compiled).unwrap();
//! let found = verifier.run(&inputs, 0..inputs.count(), &mut |_| true);
//! assert_eq!((found.equal, inputs.is_exhaustive()), (1_092, true));
//! # Ok::<(), compile::Error>(())
//! ```
//!
//! # How things become weights
//! - A sequence is a function of *variables*: the token, the index, and what heads wrote. Elementwise operations are
//!   worked out on the values and cost nothing; a function of several variables is a table of its own only where a
//!   head must read it.
//! - `select` is a head whose score is higher by 1 where the predicate holds. Equality of many values is a parabola:
//!   −(k − q)² has three columns however many values there are.
//! - Where nothing is selected, the first token, whose score lies between, takes the query and says the default.
//! - `selector_width`: the first token has the full score, and its share of attention is 1/(1 + count).
//! - A table is a head that looks at the highest of several lines, slope · number + intercept, one memory token each:
//!   tokens with the same outcome side by side are one.
//! - `length` is the index of the last position, to which a head looks by its score.
//! - What is no text looks at a sink whose values are 0.
//! - The last table is left to whoever reads the output: the largest of several coordinates, as of logits.
//!
//! # What is there when it is done
//! [`Compiled`] has the target with its vocabulary (memory tokens first), named coordinates in groups, named heads
//! with the place in the program, what each step became, how the output is read ([`Compiled::read`]), the attention
//! that each head must have ([`Compiled::selector`]), sizes and margins. What cannot be compiled is an [`Error`] with
//! the place, the reason and what would help.

mod assemble;
mod basis;
mod compiled;
mod enumeration;
mod error;
mod lines;
mod lower;
mod options;
mod plan;
mod selection;
mod symbolic;
mod values;
mod verify;

pub use compiled::{
    Becomes, Column, Compiled, Condition, Group, GroupKind, HeadInfo, HeadKind, MemoryRole, MemoryToken,
    Reading, Readout, ReadoutKind, Reads, Statistics, StepInfo, Warning,
};
pub use error::{Error, Help, InputError};
pub use options::{Limits, Pass, Passes, Request};
pub use verify::{Comparison, Difference, Inputs, Verifier};

use lower::{Lowering, Strategy};
use rasp::{Prepared, Session, Unprepared};

/// A compiled program, beside the program as the interpreter knows it.
pub struct Program {
    /// For the interpreter.
    pub prepared: Prepared,
    /// As weights.
    pub compiled: Compiled,
}

/// Compiles a program for a vocabulary and a longest length. `cancelled` is asked every now and then.
///
/// # Errors
/// What cannot be compiled, with the place in the program, the reason and what would help.
pub fn compile(
    session: &Session,
    source: &str,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
) -> Result<Program, Error> {
    request.check()?;
    let prepared = session.prepare(source).map_err(|error| match error {
        Unprepared::Diagnostics(diagnostics) => Error::Program(diagnostics),
        Unprepared::NothingShown => Error::NothingShown,
        Unprepared::NotASequence(span) => Error::NotASequence { span },
        Unprepared::OwnInput(span) => Error::OwnInput { span },
    })?;
    let compiled = compile_prepared(&prepared, source, request, cancelled)?;
    Ok(Program { prepared, compiled })
}

/// The same for a program that has been prepared.
///
/// # Errors
/// What cannot be compiled, with the place in the program, the reason and what would help.
pub fn compile_prepared(
    prepared: &Prepared,
    source: &str,
    request: &Request,
    cancelled: &dyn Fn() -> bool,
) -> Result<Compiled, Error> {
    let mut strategies = vec![Strategy { read_lines: true, thresholds: true }];
    if !request.passes.has(Pass::Thresholds) {
        strategies[0].thresholds = false;
    }
    if request.passes.has(Pass::Readout) {
        // Either may be the smaller one: a coordinate for each value, or a layer.
        strategies.push(Strategy { read_lines: false, ..strategies[0] });
    }
    let mut best: Result<Compiled, Error> = Err(Error::Cancelled);
    for strategy in strategies {
        let lowering = Lowering::new(request, prepared, source, strategy, cancelled)?;
        let made = lowering
            .run(prepared.result())
            .and_then(|lowered| assemble::assemble(request, prepared, lowered));
        best = match (best, made) {
            (Ok(best), Ok(made)) if made.statistics.sparse < best.statistics.sparse => Ok(made),
            (Ok(best), _) => Ok(best),
            (Err(Error::Cancelled), made) => made,
            (Err(_), Ok(made)) => Ok(made),
            (Err(error), Err(_)) => Err(error),
        };
    }
    best
}
