//! One layer: attention and two products, each with a residual connection and a normalisation.

use crate::kernels::gelu::{gelu, gelu_and_slope};
use crate::kernels::norm::{Norm, NormGradient, add_and_norm, norm_backward};
use crate::kernels::product::Start;
use crate::kernels::rows::Rows;
use crate::kernels::self_attention::{self, Heads, Scratch};
use crate::kernels::vector::multiply;
use crate::layers::linear::Linear;
use crate::layers::{Source, Sources};
use crate::matrix::Matrix;
use crate::parameters::{EntryId, LinearIds};
use crate::shape::Shape;
use crate::weights::layer::{FIRST_NORM, INNER, OUTER, OUTPUT, QKV, SECOND_NORM};

/// A layer's weights, packed, and its gains and biases.
#[derive(Clone, Debug)]
pub(super) struct Block {
    first: EntryId,
    heads: Heads,
    qkv: Linear,
    output: Linear,
    inner: Linear,
    outer: Linear,
    norms: [NormValues; 2],
}

#[derive(Clone, Debug, Default)]
struct NormValues {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl NormValues {
    fn view(&self) -> Norm<'_> {
        Norm {
            gain: &self.gain,
            bias: &self.bias,
        }
    }
}

/// What a normalisation left for its way back, and the gradients of its parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct NormTape {
    /// The branch's output, then the normal numbers.
    pub branch: Matrix,
    pub inverse: Vec<f32>,
    /// The dropout of the branch; without rows there is none.
    pub mask: Matrix,
    /// The gradient of the branch.
    pub d_branch: Matrix,
    pub d_gain: Vec<f32>,
    pub d_bias: Vec<f32>,
}

impl NormTape {
    /// out = the normalised sum of the residual and the branch.
    pub fn forward(&mut self, norm: Norm<'_>, residual: &[f32], out: &mut Matrix) {
        let (rows, width) = (self.branch.rows(), self.branch.cols());
        self.inverse.resize(rows, 0.0);
        out.shape(rows, width);
        let branch = self.branch.data_mut();
        add_and_norm(
            norm,
            residual,
            self.mask.data(),
            branch,
            &mut self.inverse,
            out.data_mut(),
        );
    }

    /// Makes the gradient of the branch, and with dropout that of the residual, which without is the same.
    pub fn backward(&mut self, gain: &[f32], d_out: &Matrix, residual: &mut Matrix) {
        let (rows, width) = (self.branch.rows(), self.branch.cols());
        for sums in [&mut self.d_gain, &mut self.d_bias] {
            sums.clear();
            sums.resize(width, 0.0);
        }
        self.d_branch.shape(rows, width);
        let gradient = NormGradient {
            gain: &mut self.d_gain,
            bias: &mut self.d_bias,
        };
        let normal = self.branch.data();
        norm_backward(
            gain,
            normal,
            &self.inverse,
            d_out.data(),
            self.d_branch.data_mut(),
            gradient,
        );
        if self.mask.rows() > 0 {
            residual.shape(rows, width);
            residual.data_mut().copy_from_slice(self.d_branch.data());
            multiply(self.mask.data(), self.d_branch.data_mut());
        }
    }

    /// The gradient of the residual after [`backward`](Self::backward).
    fn d_residual<'a>(&'a self, residual: &'a Matrix) -> Rows<'a> {
        Rows::all(if self.mask.rows() > 0 {
            residual
        } else {
            &self.d_branch
        })
    }

    /// Names the sources of the gradients of gain and bias, whose entries begin at `first`.
    pub fn sources<'a>(&'a self, first: EntryId, sources: &mut Sources<'a>) {
        sources.push((first, Source::Plain(&self.d_gain)));
        sources.push((first + 1, Source::Plain(&self.d_bias)));
    }
}

/// What a layer computed for a shard, and what its backward pass left for the gradients of its weights.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockTape {
    qkv: Matrix,
    probabilities: Vec<f32>,
    context: Matrix,
    pub norms: [NormTape; 2],
    attended: Matrix,
    /// GELU's slope, then the gradient of what went into it.
    slope: Matrix,
    inner: Matrix,
    pub output: Matrix,
    d_qkv: Matrix,
}

/// Buffers that all layers of a shard share.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    attention: Scratch,
    narrow: Matrix,
    wide: Matrix,
    residual: Matrix,
}

impl Block {
    /// A layer without weights; its entries begin at `first`.
    pub fn new(first: EntryId) -> Self {
        let linear = |weight: usize| {
            Linear::new(LinearIds {
                weight: first + weight,
                bias: Some(first + weight + 1),
            })
        };
        Self {
            first,
            heads: Heads { count: 0, size: 0 },
            qkv: linear(QKV),
            output: linear(OUTPUT),
            inner: linear(INNER),
            outer: linear(OUTER),
            norms: Default::default(),
        }
    }

    /// Packs new weights, for the backward pass too if that is wanted.
    pub fn pack<'a>(&mut self, entry: impl Fn(usize) -> &'a [f32], shape: &Shape, backward: bool) {
        let (w, inner) = (shape.width, shape.inner);
        self.heads = shape.heads();
        for (linear, weight, shape) in [
            (&mut self.qkv, QKV, (3 * w, w)),
            (&mut self.output, OUTPUT, (w, w)),
            (&mut self.inner, INNER, (inner, w)),
            (&mut self.outer, OUTER, (w, inner)),
        ] {
            linear.pack(entry(weight), shape, Some(entry(weight + 1)), backward);
        }
        for (norm, at) in self.norms.iter_mut().zip([FIRST_NORM, SECOND_NORM]) {
            norm.gain = entry(at).to_vec();
            norm.bias = entry(at + 1).to_vec();
        }
    }

    /// Leads the rows of all sequences through the layer; `starts` says where each begins, and the end of the last.
    /// With `keep` the tape has what the backward pass needs.
    pub fn forward(
        &self,
        x: &Matrix,
        starts: &[usize],
        keep: bool,
        tape: &mut BlockTape,
        buffers: &mut Buffers,
    ) {
        let (rows, w) = (x.rows(), x.cols());
        tape.qkv.shape(rows, 3 * w);
        self.qkv.forward(Rows::all(x), tape.qkv.data_mut(), 3 * w);
        self.attend(starts, tape, &mut buffers.attention);

        let [first, second] = &mut tape.norms;
        first.branch.shape(rows, w);
        self.output
            .forward(Rows::all(&tape.context), first.branch.data_mut(), w);
        first.forward(self.norms[0].view(), x.data(), &mut tape.attended);

        let (attended, width) = (Rows::all(&tape.attended), self.inner_width());
        tape.inner.shape(rows, width);
        if keep {
            tape.slope.shape(rows, width);
            self.inner.forward(attended, tape.slope.data_mut(), width);
            gelu_and_slope(tape.slope.data_mut(), tape.inner.data_mut());
        } else {
            self.inner.forward(attended, tape.inner.data_mut(), width);
            gelu(tape.inner.data_mut());
        }
        second.branch.shape(rows, w);
        self.outer
            .forward(Rows::all(&tape.inner), second.branch.data_mut(), w);
        second.forward(self.norms[1].view(), tape.attended.data(), &mut tape.output);
    }

    fn inner_width(&self) -> usize {
        self.inner.outputs()
    }

    fn attend(&self, starts: &[usize], tape: &mut BlockTape, scratch: &mut Scratch) {
        let lengths = starts.windows(2).map(|ends| ends[1] - ends[0]);
        let needed: usize = lengths.map(|n| self.heads.probabilities(n)).sum();
        tape.probabilities.resize(needed, 0.0);
        tape.context.shape(tape.qkv.rows(), self.heads.width());
        let mut rest = tape.probabilities.as_mut_slice();
        for ends in starts.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            let (p, after) = rest.split_at_mut(self.heads.probabilities(to - from));
            rest = after;
            let (qkv, context) = (tape.qkv.span(from, to), tape.context.span_mut(from, to));
            self_attention::forward(self.heads, qkv, p, context, scratch);
        }
    }

    /// The reverse of [`forward`](Self::forward) for the gradient `d` of its output, which becomes that of its input
    /// if that is `wanted`.
    pub fn backward(
        &self,
        starts: &[usize],
        tape: &mut BlockTape,
        d: &mut Matrix,
        wanted: bool,
        buffers: &mut Buffers,
    ) {
        let (rows, w) = (d.rows(), d.cols());
        let Buffers {
            attention,
            narrow,
            wide,
            residual,
        } = buffers;
        let [first, second] = &mut tape.norms;
        let width = self.inner_width();

        second.backward(&self.norms[1].gain, d, residual);
        wide.shape(rows, width);
        self.outer
            .backward(Rows::all(&second.d_branch), false, wide.data_mut(), width);
        multiply(wide.data(), tape.slope.data_mut());
        narrow.shape(rows, w);
        let start = Start::Rows(second.d_residual(residual));
        self.inner
            .backward_from(Rows::all(&tape.slope), start, narrow.data_mut(), w);

        first.backward(&self.norms[0].gain, narrow, residual);
        self.output
            .backward(Rows::all(&first.d_branch), false, narrow.data_mut(), w);
        tape.d_qkv.shape(rows, 3 * w);
        let mut rest = tape.probabilities.as_slice();
        for ends in starts.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            let (p, after) = rest.split_at(self.heads.probabilities(to - from));
            rest = after;
            let (qkv, d_context) = (tape.qkv.span(from, to), narrow.span(from, to));
            let d_qkv = tape.d_qkv.span_mut(from, to);
            self_attention::backward(self.heads, qkv, p, d_context, d_qkv, attention);
        }
        if wanted {
            let start = Start::Rows(first.d_residual(residual));
            self.qkv
                .backward_from(Rows::all(&tape.d_qkv), start, d.data_mut(), w);
        }
    }

    /// Names the sources of the gradients of the layer's weights; `x` was its input.
    pub fn sources<'a>(&self, x: &'a Matrix, tape: &'a BlockTape, sources: &mut Sources<'a>) {
        let [first, second] = &tape.norms;
        let all = |matrix: &'a Matrix| Rows::all(matrix);
        self.qkv.sources(all(&tape.d_qkv), all(x), sources);
        self.output
            .sources(all(&first.d_branch), all(&tape.context), sources);
        first.sources(self.first + FIRST_NORM, sources);
        self.inner.sources(all(&tape.slope), all(&tape.attended), sources);
        self.outer
            .sources(all(&second.d_branch), all(&tape.inner), sources);
        second.sources(self.first + SECOND_NORM, sources);
    }
}
