/// The passes over graphs, as data: each takes a graph and returns a new one.
#pragma once

#include <span>

#include "engine/graph/graph.h"

namespace tw {

/// Channels, of weights and of activations, that lie side by side in a block: the lanes of the
/// widest f32 vectors; narrower ones divide it.
constexpr int64_t kChannelBlock = 16;

struct GraphPass {
  std::string name;
  Result<Graph> (*run)(Graph const&);
  std::string reason;  ///< why it stands where it stands, one sentence
};

/// dropout(x), identity(x)  -->  x;  batch_norm(conv(x, W, B))  -->  conv(x, W', B');
/// batch_norm(x)  -->  add(mul(x, scale), shift); conv(pad(x))  -->  conv(x) with more padding
Result<Graph> simplify_inference(Graph const& graph);
/// f(constants)  -->  a constant, until the graph has grown by 1 GiB; nodes whose
/// results nobody reads are dropped. if(constant, then, else)  -->  the nodes of then or of else.
Result<Graph> fold_constants(Graph const& graph);
/// conv(x, W)  -->  conv(x, W in blocks of output channels, the last filled up with zeros); gemm(x,
/// W^T)  -->  gemm(x, W), where W is known: a vector of outputs then lies side by side, for every
/// stride and every width of the plane.
Result<Graph> pack_weights(Graph const& graph);
/// N x C x height x width  -->  N x C/b x height x width x b around depthwise convolutions: a
/// window that stays in its channel then reads whole, aligned vectors. Only for values whose
/// neighbours, dense convolutions and element-wise operators, can write and read them so: no kernel
/// pays for a change of layout.
Result<Graph> block_channels(Graph const& graph);
/// Sets `groups` and `decisions`: which nodes become one kernel and why.
/// Source: Chen et al. 2018 (TVM), §3 "Operator fusion".
Result<Graph> fuse_operators(Graph const& graph);

/// The passes in their order; each is run on the graph, then on the graphs inside it.
std::span<GraphPass const> graph_passes();

/// What each pass made, for showing.
struct GraphStage {
  std::string name;
  Graph graph;
};
/// Runs all passes and verifies after each; the last stage is the result.
Result<std::vector<GraphStage>> run_graph_passes(Graph const& graph);
/// The last stage alone.
Result<Graph> optimize(Graph const& graph);

}  // namespace tw
