//! The transformer: its forward pass, and the derivative of the loss by everything that is trained.
//!
//! All models are one network. A head reads queries, keys and values from columns of a *source*, and adds what
//! it mixes to columns of an *output*. With routed weights the source is the state itself and the output the
//! next one, so that routing is a gather forwards and backwards and costs nothing; with random weights the source
//! is Z [Rq | Rk | Rv]; with trained ones it is Z [Wq | Wk | Wv], and the output is multiplied by Wo.

use crate::frozen::{Bias, Frozen, HeadPlan, LayerPlan, Linear, Weight};
use crate::kernels::{Extent, Left, Processor};
use crate::lanes::LANES;
use crate::parameters::{POSITIONS, Parameters, TOKENS, UNEMBEDDING};
use crate::real::Real;
use crate::task::{Batch, NO_TARGET};
use crate::{Config, Error};
use transformer::Mask;

/// A transformer with its frozen weights and all memory that its passes need, allocated once.
#[derive(Debug, Clone)]
pub(crate) struct Network<R> {
    frozen: Frozen<R>,
    shape: Shape,
    processor: Processor,
    /// The trained matrices in the form that products need; taken over from the parameters by each pass.
    trained: Vec<Linear<R>>,
    work: Work<R>,
}

/// The sizes that do not change, and the size of the batch in work.
#[derive(Debug, Clone, Copy)]
struct Shape {
    heads: usize,
    head_width: usize,
    /// m.
    width: usize,
    classes: usize,
    mask: Mask,
    has_norm: bool,
    /// The number of sequences, and n.
    count: usize,
    length: usize,
}

/// Buffers. Rows are positions, sequence by sequence.
#[derive(Debug, Clone)]
struct Work<R> {
    state: Vec<R>,
    layers: Vec<LayerWork<R>>,
    /// The final state as it is read, normalised where the variant does so.
    last: Vec<R>,
    last_inverse: Vec<R>,
    /// The rows of which something is asked, and what is read of them.
    asked: Vec<usize>,
    features: Vec<R>,
    logits: Vec<R>,
    by_features: Vec<R>,
    /// Derivatives by the state, by a normalised state, by a source, by what heads put out.
    by_state: Vec<R>,
    by_normal: Vec<R>,
    by_source: Vec<R>,
    by_output: Vec<R>,
    by_hidden: Vec<R>,
    by_shares: Vec<R>,
    /// Columns of one sequence as rows of padded length.
    transposed: Vec<R>,
}

#[derive(Debug, Clone)]
struct LayerWork<R> {
    /// The state that the layer reads, normalised where the variant does so.
    input: Vec<R>,
    inverse: Vec<R>,
    source: Vec<R>,
    /// The attention of all heads, sequence by sequence, with rows of padded length.
    shares: Vec<R>,
    output: Vec<R>,
    mlp_input: Vec<R>,
    mlp_inverse: Vec<R>,
    hidden: Vec<R>,
}

/// What a pass found over the targets of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Tally {
    /// Σ of the cross-entropies.
    pub(crate) loss: f64,
    /// How many targets there were, and how many of them were predicted.
    pub(crate) asked: usize,
    pub(crate) correct: usize,
    /// The same without the null class.
    pub(crate) asked_of_something: usize,
    pub(crate) correct_of_something: usize,
}

impl<R: Real> Network<R> {
    /// Makes the frozen weights and allocates the buffers for batches of `count` sequences.
    ///
    /// # Errors
    /// When the frozen weights cannot be made.
    pub(crate) fn new(config: &Config, count: usize) -> Result<Self, Error> {
        let frozen = Frozen::new(config)?;
        let length = config.task.length();
        let shape = Shape {
            heads: config.model.heads,
            head_width: config.model.head_width,
            width: config.state_width(),
            classes: config.task.classes().len(),
            mask: config.task.mask(),
            has_norm: config.variant.has_residual(),
            count,
            length,
        };
        let mut trained = vec![Linear::zeros(frozen.columns_read().1, shape.classes)];
        if !config.model.weights.are_frozen() {
            let (m, inner) = (shape.width, shape.heads * shape.head_width);
            for _ in 0..config.model.layers {
                trained.push(Linear::zeros(m, 3 * inner));
                trained.push(Linear::zeros(inner, m));
                if let Some(hidden) = config.variant.hidden() {
                    trained.push(Linear::zeros(m, hidden));
                    trained.push(Linear::zeros(hidden, m));
                }
            }
        }
        let work = Work::new(&frozen, &shape, config.variant.hidden().unwrap_or(0));
        Ok(Network { frozen, shape, processor: Processor::new(), trained, work })
    }

    pub(crate) fn frozen(&self) -> &Frozen<R> {
        &self.frozen
    }

    /// The logits of every row of which something is asked (rows × classes), after a forward pass.
    pub(crate) fn logits(&self) -> &[R] {
        &self.work.logits[..self.work.asked.len() * self.shape.classes]
    }

    /// The attention of one head on the sequence `index` of the last pass, n × n.
    pub(crate) fn attention(&self, layer: usize, head: usize, index: usize) -> Vec<f32> {
        let n = self.shape.length;
        let stride = self.shape.padded();
        let first = (index * self.shape.heads + head) * n * stride;
        let rows = self.work.layers[layer].shares[first..first + n * stride].chunks_exact(stride);
        rows.flat_map(|row| row[..n].iter().map(|share| share.to_f64() as f32)).collect()
    }

    /// Runs a batch forwards, up to the logits of every position that has a target.
    pub(crate) fn forward(&mut self, parameters: &Parameters<R>, batch: &Batch) {
        self.shape.count = batch.count;
        self.shape.length = batch.length;
        self.take_over(parameters);
        let Network { frozen, shape, processor, trained, work } = self;
        let (rows, m) = (shape.rows(), shape.width);
        let linear = |weight: Weight| match weight {
            Weight::Frozen(index) => frozen.linear(index),
            Weight::Trained { linear, .. } => &trained[linear],
        };
        embed(shape, parameters, &batch.tokens, &mut work.state[..rows * m]);
        for (plan, layer) in frozen.layers().iter().zip(&mut work.layers) {
            let state = &mut work.state[..rows * m];
            layer.take_input(*shape, *processor, state);
            if let Some(read) = plan.read {
                let source = &mut layer.source[..rows * plan.source_width];
                source.fill(R::ZERO);
                let input = Left::Rows(&layer.input[..rows * m], m);
                processor.add_packed_product(rows, input, &linear(read).forward, (source, plan.source_width));
            }
            attend(shape, *processor, plan, layer, &mut work.transposed, state);
            if let Some(write) = plan.write {
                let output = Left::Rows(&layer.output[..rows * plan.output_width], plan.output_width);
                processor.add_packed_product(rows, output, &linear(write).forward, (state, m));
            }
            if let Some(mlp) = &plan.mlp {
                let (normal, inverse) = (&mut layer.mlp_input[..rows * m], &mut layer.mlp_inverse[..rows]);
                processor.normalise_rows(state, m, normal, inverse);
                let bias = match mlp.bias {
                    Bias::Frozen(index) => frozen.bias(index),
                    Bias::Trained { tensor } => parameters.tensor(tensor),
                };
                let hidden = &mut layer.hidden[..rows * bias.len()];
                hidden.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
                let input = Left::Rows(&layer.mlp_input[..rows * m], m);
                processor.add_packed_product(rows, input, &linear(mlp.first).forward, (hidden, bias.len()));
                hidden.iter_mut().filter(|x| **x < R::ZERO).for_each(|x| *x = R::ZERO);
                let hidden = Left::Rows(hidden, bias.len());
                processor.add_packed_product(rows, hidden, &linear(mlp.second).forward, (state, m));
            }
        }
        let state = &mut work.state[..rows * m];
        if shape.has_norm {
            let (normal, inverse) = (&mut work.last[..rows * m], &mut work.last_inverse[..rows]);
            processor.normalise_rows(state, m, normal, inverse);
        } else {
            work.last[..rows * m].copy_from_slice(state);
        }
        work.asked.clear();
        work.asked.extend((0..rows).filter(|row| batch.targets[*row] != NO_TARGET));
        let (first, read) = frozen.columns_read();
        for (row, features) in work.asked.iter().zip(work.features.chunks_exact_mut(read)) {
            features.copy_from_slice(&work.last[row * m + first..][..read]);
        }
        let asked = work.asked.len();
        let logits = &mut work.logits[..asked * shape.classes];
        logits.fill(R::ZERO);
        let features = Left::Rows(&work.features[..asked * read], read);
        processor.add_packed_product(asked, features, &trained[0].forward, (logits, shape.classes));
    }

    /// The loss and the number of right answers, from the logits of the last forward pass. The logits become
    /// the derivative of the mean loss by them.
    pub(crate) fn judge(&mut self, batch: &Batch, null_class: Option<u16>) -> Tally {
        let classes = self.shape.classes;
        let mut tally = Tally { asked: self.work.asked.len(), ..Tally::default() };
        let share = R::from_f64(1.0 / tally.asked.max(1) as f64);
        for (row, logits) in self.work.asked.iter().zip(self.work.logits.chunks_exact_mut(classes)) {
            let target = batch.targets[*row];
            let best = largest(logits);
            let top = logits[best];
            let shifted = (logits[usize::from(target)] - top).to_f64();
            let mut sum = R::ZERO;
            for logit in logits.iter_mut() {
                *logit = (*logit - top).exp_negative();
                sum += *logit;
            }
            tally.loss += libm::log(sum.to_f64()) - shifted;
            let factor = share / sum;
            logits.iter_mut().for_each(|it| *it = *it * factor);
            logits[usize::from(target)] -= share;
            let right = usize::from(best == usize::from(target));
            let counts = usize::from(null_class != Some(target));
            tally.correct += right;
            tally.asked_of_something += counts;
            tally.correct_of_something += right * counts;
        }
        tally
    }

    /// The derivative of the mean loss by every trained number, after [`forward`](Self::forward) and
    /// [`judge`](Self::judge) of the same batch.
    pub(crate) fn backward(&mut self, batch: &Batch, gradient: &mut Parameters<R>) {
        let Network { frozen, shape, processor, trained, work } = self;
        let (rows, m) = (shape.rows(), shape.width);
        let linear = |weight: Weight| match weight {
            Weight::Frozen(index) => frozen.linear(index),
            Weight::Trained { linear, .. } => &trained[linear],
        };
        // Adds xᵀ d to the gradient of a matrix that is trained; a frozen one has none.
        let add_outer = |weight: Weight,
                         x: &[R],
                         x_width: usize,
                         d: &[R],
                         d_width: usize,
                         gradient: &mut Parameters<R>| {
            if let Weight::Trained { tensor, .. } = weight {
                let (count, to) = (d.len() / d_width, gradient.tensor_mut(tensor));
                let size = (x_width, d_width, count);
                processor.add_product(
                    size,
                    Left::Columns(x, x_width),
                    (d, d_width),
                    (to, d_width),
                    Extent::Full,
                );
            }
        };
        gradient.numbers.fill(R::ZERO);
        let (first, read) = frozen.columns_read();
        let asked = work.asked.len();
        let by_logits = &work.logits[..asked * shape.classes];
        let features = &work.features[..asked * read];
        let unembedding = Weight::Trained { linear: 0, tensor: UNEMBEDDING };
        add_outer(unembedding, features, read, by_logits, shape.classes, gradient);
        let by_features = &mut work.by_features[..asked * read];
        by_features.fill(R::ZERO);
        let by_logits = Left::Rows(by_logits, shape.classes);
        processor.add_packed_product(asked, by_logits, &trained[0].backward, (by_features, read));
        let by_normal = &mut work.by_normal[..rows * m];
        by_normal.fill(R::ZERO);
        for (row, by_features) in work.asked.iter().zip(by_features.chunks_exact(read)) {
            by_normal[row * m + first..][..read].copy_from_slice(by_features);
        }
        let by_state = &mut work.by_state[..rows * m];
        if shape.has_norm {
            by_state.fill(R::ZERO);
            let (normal, inverse) = (&work.last[..rows * m], &work.last_inverse[..rows]);
            processor.normalise_rows_backward(normal, inverse, m, by_normal, by_state);
        } else {
            by_state.copy_from_slice(by_normal);
        }
        for (plan, layer) in frozen.layers().iter().zip(&work.layers).rev() {
            let by_state = &mut work.by_state[..rows * m];
            let by_normal = &mut work.by_normal[..rows * m];
            if let Some(mlp) = &plan.mlp {
                let hidden_width = layer.hidden.len() / (layer.input.len() / m);
                let hidden = &layer.hidden[..rows * hidden_width];
                let by_hidden = &mut work.by_hidden[..rows * hidden_width];
                add_outer(mlp.second, hidden, hidden_width, by_state, m, gradient);
                by_hidden.fill(R::ZERO);
                let second = &linear(mlp.second).backward;
                processor.add_packed_product(
                    rows,
                    Left::Rows(by_state, m),
                    second,
                    (by_hidden, hidden_width),
                );
                for (d, x) in by_hidden.iter_mut().zip(hidden) {
                    if *x == R::ZERO {
                        *d = R::ZERO;
                    }
                }
                let input = &layer.mlp_input[..rows * m];
                add_outer(mlp.first, input, m, by_hidden, hidden_width, gradient);
                if let Bias::Trained { tensor } = mlp.bias {
                    for row in by_hidden.chunks_exact(hidden_width) {
                        gradient.tensor_mut(tensor).iter_mut().zip(row).for_each(|(sum, d)| *sum += *d);
                    }
                }
                by_normal.fill(R::ZERO);
                let first = &linear(mlp.first).backward;
                let by_hidden = Left::Rows(by_hidden, hidden_width);
                processor.add_packed_product(rows, by_hidden, first, (by_normal, m));
                let inverse = &layer.mlp_inverse[..rows];
                processor.normalise_rows_backward(input, inverse, m, by_normal, by_state);
            }
            let input = &layer.input[..rows * m];
            let by_output: &[R] = match plan.write {
                None => by_state,
                Some(write) => {
                    let width = plan.output_width;
                    add_outer(write, &layer.output[..rows * width], width, by_state, m, gradient);
                    let by_output = &mut work.by_output[..rows * width];
                    by_output.fill(R::ZERO);
                    let backward = &linear(write).backward;
                    processor.add_packed_product(rows, Left::Rows(by_state, m), backward, (by_output, width));
                    by_output
                }
            };
            by_normal.fill(R::ZERO);
            match plan.read {
                None => {
                    let scratch = (&mut work.transposed[..], &mut work.by_shares[..]);
                    attend_backward(
                        shape,
                        *processor,
                        plan,
                        input,
                        &layer.shares,
                        by_output,
                        scratch,
                        by_normal,
                    );
                }
                Some(read) => {
                    let width = plan.source_width;
                    let source = &layer.source[..rows * width];
                    let by_source = &mut work.by_source[..rows * width];
                    by_source.fill(R::ZERO);
                    let scratch = (&mut work.transposed[..], &mut work.by_shares[..]);
                    attend_backward(
                        shape,
                        *processor,
                        plan,
                        source,
                        &layer.shares,
                        by_output,
                        scratch,
                        by_source,
                    );
                    add_outer(read, input, m, by_source, width, gradient);
                    let by_source = Left::Rows(by_source, width);
                    processor.add_packed_product(rows, by_source, &linear(read).backward, (by_normal, m));
                }
            }
            if shape.has_norm {
                // The residual connection leaves what is there, and the layer adds to it.
                processor.normalise_rows_backward(input, &layer.inverse[..rows], m, by_normal, by_state);
            } else {
                std::mem::swap(&mut work.by_state, &mut work.by_normal);
            }
        }
        let by_state = &work.by_state[..rows * m];
        for (row, d) in by_state.chunks_exact(m).enumerate() {
            let token = usize::from(batch.tokens[row]);
            let position = row % shape.length;
            for (tensor, index) in [(TOKENS, token), (POSITIONS, position)] {
                let to = &mut gradient.tensor_mut(tensor)[index * m..][..m];
                to.iter_mut().zip(d).for_each(|(sum, d)| *sum += *d);
            }
        }
    }

    fn take_over(&mut self, parameters: &Parameters<R>) {
        self.trained[0].set(parameters.tensor(UNEMBEDDING));
        for plan in self.frozen.layers() {
            let mlp = plan.mlp.iter().flat_map(|mlp| [mlp.first, mlp.second]);
            for weight in plan.read.into_iter().chain(plan.write).chain(mlp) {
                if let Weight::Trained { linear, tensor } = weight {
                    self.trained[linear].set(parameters.tensor(tensor));
                }
            }
        }
    }
}

impl Shape {
    fn rows(&self) -> usize {
        self.count * self.length
    }

    /// The length of a row of scores.
    fn padded(&self) -> usize {
        self.length.next_multiple_of(LANES)
    }

    fn score_scale<R: Real>(&self) -> R {
        R::from_f64(1.0 / (self.head_width as f64).sqrt())
    }

    /// Which keys a query sees, and which queries see a key.
    fn extents(&self) -> (Extent, Extent) {
        match self.mask {
            Mask::Causal => (Extent::UpToRow, Extent::FromRow),
            Mask::None => (Extent::Full, Extent::Full),
        }
    }
}

impl<R: Real> Work<R> {
    fn new(frozen: &Frozen<R>, shape: &Shape, hidden: usize) -> Self {
        let (rows, m) = (shape.rows(), shape.width);
        let zeros = |count: usize| vec![R::ZERO; count];
        let read = frozen.columns_read().1;
        let normed = |count: usize| zeros(if shape.has_norm { count } else { 0 });
        let layer = |plan: &LayerPlan| LayerWork {
            input: zeros(rows * m),
            inverse: normed(rows),
            source: zeros(if plan.read.is_some() { rows * plan.source_width } else { 0 }),
            shares: zeros(shape.count * shape.heads * shape.length * shape.padded()),
            output: zeros(if plan.write.is_some() { rows * plan.output_width } else { 0 }),
            mlp_input: zeros(if hidden > 0 { rows * m } else { 0 }),
            mlp_inverse: zeros(if hidden > 0 { rows } else { 0 }),
            hidden: zeros(rows * hidden),
        };
        let plans = frozen.layers();
        let widest = |width: fn(&LayerPlan) -> usize| plans.iter().map(width).max().unwrap_or(0);
        let source = widest(|plan| if plan.read.is_some() { plan.source_width } else { 0 });
        let output = widest(|plan| if plan.write.is_some() { plan.output_width } else { 0 });
        let columns =
            widest(|plan| plan.heads.iter().flat_map(|it| &it.moves).map(|it| it.width).max().unwrap_or(0));
        Work {
            state: zeros(rows * m),
            layers: plans.iter().map(layer).collect(),
            last: zeros(rows * m),
            last_inverse: normed(rows),
            asked: Vec::with_capacity(rows),
            features: zeros(rows * read),
            logits: zeros(rows * shape.classes),
            by_features: zeros(rows * read),
            by_state: zeros(rows * m),
            by_normal: zeros(rows * m),
            by_source: zeros(rows * source),
            by_output: zeros(rows * output),
            by_hidden: zeros(rows * hidden),
            by_shares: zeros(shape.length * shape.padded()),
            transposed: zeros(columns.max(shape.head_width) * shape.padded()),
        }
    }
}

impl<R: Real> LayerWork<R> {
    /// Takes the state as the layer's input, and leaves in it what the layer adds to.
    fn take_input(&mut self, shape: Shape, processor: Processor, state: &mut [R]) {
        let input = &mut self.input[..state.len()];
        if shape.has_norm {
            processor.normalise_rows(state, shape.width, input, &mut self.inverse[..shape.rows()]);
        } else {
            input.copy_from_slice(state);
            state.fill(R::ZERO);
        }
    }
}

/// Token and position embeddings, added.
fn embed<R: Real>(shape: &Shape, parameters: &Parameters<R>, tokens: &[u16], state: &mut [R]) {
    let m = shape.width;
    let (of_tokens, of_positions) = (parameters.tensor(TOKENS), parameters.tensor(POSITIONS));
    for (row, to) in state.chunks_exact_mut(m).enumerate() {
        let token = &of_tokens[usize::from(tokens[row]) * m..][..m];
        let position = &of_positions[row % shape.length * m..][..m];
        for ((to, t), p) in to.iter_mut().zip(token).zip(position) {
            *to = *t + *p;
        }
    }
}

/// All heads of a layer: scores, shares, and what they mix, added to the state or put into the layer's output.
fn attend<R: Real>(
    shape: &Shape,
    processor: Processor,
    plan: &LayerPlan,
    layer: &mut LayerWork<R>,
    transposed: &mut [R],
    state: &mut [R],
) {
    let (n, stride, width) = (shape.length, shape.padded(), plan.source_width);
    let (up_to_row, _) = shape.extents();
    let source = if plan.read.is_some() { &layer.source } else { &layer.input };
    let output = match plan.write {
        None => state,
        Some(_) => {
            let output = &mut layer.output[..shape.rows() * plan.output_width];
            output.fill(R::ZERO);
            output
        }
    };
    let mut shares = layer.shares.chunks_exact_mut(n * stride);
    for sequence in 0..shape.count {
        let source = &source[sequence * n * width..][..n * width];
        let output = &mut output[sequence * n * plan.output_width..][..n * plan.output_width];
        for head in &plan.heads {
            let shares = shares.next().expect("there is room for the attention of every head");
            score(shape, processor, head, (source, width), transposed, shares);
            for it in &head.moves {
                let (from, to) = (&source[it.from..], &mut output[it.to..]);
                let shares = Left::Rows(shares, stride);
                processor.add_product(
                    (n, it.width, n),
                    shares,
                    (from, width),
                    (to, plan.output_width),
                    up_to_row,
                );
            }
        }
    }
}

fn score<R: Real>(
    shape: &Shape,
    processor: Processor,
    head: &HeadPlan,
    (source, width): (&[R], usize),
    transposed: &mut [R],
    shares: &mut [R],
) {
    let (n, stride) = (shape.length, shape.padded());
    transpose(&source[head.key..], width, n, shape.head_width, stride, transposed);
    shares.fill(R::ZERO);
    let queries = Left::Rows(&source[head.query..], width);
    let size = (n, stride, shape.head_width);
    processor.add_product(size, queries, (transposed, stride), (shares, stride), Extent::Full);
    let scale = shape.score_scale();
    match shape.mask {
        Mask::Causal => processor.softmax_rows(shares, stride, scale, |i| i + 1),
        Mask::None => processor.softmax_rows(shares, stride, scale, |_| n),
    }
}

/// Adds to `by_source` the derivative by the source of a layer, given that by its output.
#[allow(clippy::too_many_arguments, reason = "these are what the chain rule needs")]
fn attend_backward<R: Real>(
    shape: &Shape,
    processor: Processor,
    plan: &LayerPlan,
    source: &[R],
    shares: &[R],
    by_output: &[R],
    (transposed, by_shares): (&mut [R], &mut [R]),
    by_source: &mut [R],
) {
    let (n, stride, d_h) = (shape.length, shape.padded(), shape.head_width);
    let (width, output_width) = (plan.source_width, plan.output_width);
    let (up_to_row, from_row) = shape.extents();
    let by_shares = &mut by_shares[..n * stride];
    let mut shares = shares.chunks_exact(n * stride);
    for sequence in 0..shape.count {
        let source = &source[sequence * n * width..][..n * width];
        let by_source = &mut by_source[sequence * n * width..][..n * width];
        let by_output = &by_output[sequence * n * output_width..][..n * output_width];
        for head in &plan.heads {
            let shares = shares.next().expect("there is the attention of every head");
            by_shares.fill(R::ZERO);
            for it in &head.moves {
                transpose(&source[it.from..], width, n, it.width, stride, transposed);
                let d = &by_output[it.to..];
                let size = (n, stride, it.width);
                let transposed = (&*transposed, stride);
                processor.add_product(
                    size,
                    Left::Rows(d, output_width),
                    transposed,
                    (by_shares, stride),
                    Extent::Full,
                );
                let (size, shares) = ((n, it.width, n), Left::Columns(shares, stride));
                processor.add_product(
                    size,
                    shares,
                    (d, output_width),
                    (&mut by_source[it.from..], width),
                    from_row,
                );
            }
            processor.softmax_rows_backward(shares, by_shares, stride, shape.score_scale());
            let (queries, keys) = (&source[head.query..], &source[head.key..]);
            let by_scores = Left::Rows(&*by_shares, stride);
            let to = &mut by_source[head.query..];
            processor.add_product((n, d_h, n), by_scores, (keys, width), (to, width), up_to_row);
            let by_scores = Left::Columns(&*by_shares, stride);
            let to = &mut by_source[head.key..];
            processor.add_product((n, d_h, n), by_scores, (queries, width), (to, width), from_row);
        }
    }
}

/// The first `columns` columns of n rows become rows of length `stride`, filled up with zeros.
fn transpose<R: Real>(matrix: &[R], width: usize, n: usize, columns: usize, stride: usize, to: &mut [R]) {
    for row in to[..columns * stride].chunks_exact_mut(stride) {
        row[n..].fill(R::ZERO);
    }
    for i in 0..n {
        for (column, entry) in matrix[i * width..][..columns].iter().enumerate() {
            to[column * stride + i] = *entry;
        }
    }
}

fn largest<R: Real>(numbers: &[R]) -> usize {
    (1..numbers.len()).fold(0, |best, index| if numbers[index] > numbers[best] { index } else { best })
}
