// oneDNN 2 as a peer: every implementation it has of direct and of Winograd convolution, in the
// layouts it asks for, and its sgemm.
#include <oneapi/dnnl/dnnl.hpp>

#include "tests/benchmarks/peers/peer.h"

namespace tw::bench {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using Convolution = dnnl::convolution_forward;

memory::desc describe(memory::dims const& dims, memory::format_tag format) {
  return {dims, memory::data_type::f32, format};
}

class ConvolutionKernel final : public PeerKernel {
public:
  ConvolutionKernel(Convolution::primitive_desc const& chosen, std::string algorithm,
                    dnnl::engine const& engine, memory const& data, memory weights,
                    memory::desc const& plain_output)
      : algorithm_(std::move(algorithm)),
        implementation_(chosen.impl_info_str()),
        primitive_(chosen),
        stream_(engine),
        data_(data),
        output_(plain_output, engine),
        inner_data_(same(chosen.src_desc(), data) ? data : memory(chosen.src_desc(), engine)),
        inner_weights_(chosen.weights_desc(), engine),
        inner_output_(same(chosen.dst_desc(), output_) ? output_
                                                       : memory(chosen.dst_desc(), engine)) {
    dnnl::reorder(weights, inner_weights_).execute(stream_, weights, inner_weights_);
    if (inner_data_ != data_) {
      reorder_data_ = dnnl::reorder(data_, inner_data_);
      reorder_data_.execute(stream_, data_, inner_data_);
    }
    if (inner_output_ != output_) reorder_output_ = dnnl::reorder(inner_output_, output_);
    stream_.wait();
  }

  std::string algorithm() const override { return algorithm_; }
  std::string implementation() const override { return implementation_; }
  bool changes_layouts() const override { return inner_data_ != data_ || inner_output_ != output_; }

  void run() override {
    compute();
    stream_.wait();
  }
  void run_from_plain() override {
    if (inner_data_ != data_) reorder_data_.execute(stream_, data_, inner_data_);
    compute();
    give_output();
  }
  std::vector<float> output() override {
    give_output();
    auto const* values = static_cast<float const*>(output_.get_data_handle());
    return {values, values + output_.get_desc().get_size() / sizeof(float)};
  }

private:
  static bool same(memory::desc const& wanted, memory const& given) {
    return wanted == given.get_desc();
  }
  void compute() {
    primitive_.execute(stream_, {{DNNL_ARG_SRC, inner_data_},
                                 {DNNL_ARG_WEIGHTS, inner_weights_},
                                 {DNNL_ARG_DST, inner_output_}});
  }
  void give_output() {
    if (inner_output_ != output_) reorder_output_.execute(stream_, inner_output_, output_);
    stream_.wait();
  }

  std::string algorithm_, implementation_;
  Convolution primitive_;
  dnnl::stream stream_;
  memory data_, output_, inner_data_, inner_weights_, inner_output_;
  dnnl::reorder reorder_data_, reorder_output_;
};

class Sgemm final : public PeerKernel {
public:
  Sgemm(int64_t size, float const* a, float const* b)
      : size_(size), a_(a), b_(b), c_(size_t(size * size)) {}

  std::string algorithm() const override { return "sgemm"; }
  std::string implementation() const override { return "dnnl_sgemm"; }
  void run() override {
    dnnl_sgemm('N', 'N', size_, size_, size_, 1, a_, size_, b_, size_, 0, c_.data(), size_);
  }
  std::vector<float> output() override { return c_; }

private:
  int64_t size_;
  float const *a_, *b_;
  std::vector<float> c_;
};

class OneDnn final : public PeerLibrary {
public:
  std::string title() const override {
    dnnl_version_t const& version = *dnnl_version();
    return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.patch);
  }

  std::vector<std::unique_ptr<PeerKernel>> kernels(Workload const& workload, float const* data,
                                                   float const* weights) override {
    std::vector<std::unique_ptr<PeerKernel>> kernels;
    if (workload.is_matrix_product()) {
      kernels.push_back(std::make_unique<Sgemm>(workload.matrix, data, weights));
      return kernels;
    }
    memory plain_data(describe(workload.data_shape(), memory::format_tag::nchw), engine_,
                      const_cast<float*>(data));
    memory plain_weights(weight_desc(workload, false), engine_, const_cast<float*>(weights));
    for (algorithm kind : {algorithm::convolution_direct, algorithm::convolution_winograd})
      add_all(workload, kind, plain_data, plain_weights, kernels);
    return kernels;
  }

private:
  static memory::desc weight_desc(Workload const& workload, bool any) {
    using tag = memory::format_tag;
    memory::dims dims = workload.weight_shape();
    if (workload.groups == 1) return describe(dims, any ? tag::any : tag::oihw);
    dims[0] /= workload.groups;
    dims.insert(dims.begin(), workload.groups);
    return describe(dims, any ? tag::any : tag::goihw);
  }

  static Convolution::desc operation(Workload const& workload, algorithm kind) {
    memory::dims strides(2, workload.stride), padding(2, workload.padding());
    return {dnnl::prop_kind::forward_inference,
            kind,
            describe(workload.data_shape(), memory::format_tag::any),
            weight_desc(workload, true),
            describe(workload.output_shape(), memory::format_tag::any),
            strides,
            padding,
            padding};
  }

  void add_all(Workload const& workload, algorithm kind, memory const& data, memory const& weights,
               std::vector<std::unique_ptr<PeerKernel>>& kernels) {
    std::string name = kind == algorithm::convolution_direct ? "direct" : "winograd";
    memory::desc output = describe(workload.output_shape(), memory::format_tag::nchw);
    try {
      Convolution::primitive_desc chosen(operation(workload, kind), engine_);
      do {
        // Plain loops for checking: a thousand times slower.
        if (std::string(chosen.impl_info_str()).find("ref") != std::string::npos) continue;
        kernels.push_back(
            std::make_unique<ConvolutionKernel>(chosen, name, engine_, data, weights, output));
      } while (chosen.next_impl());
    } catch (dnnl::error const&) {
      // It has no (further) implementation of this algorithm for this workload.
    }
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
};

}  // namespace
}  // namespace tw::bench

extern "C" tw::bench::PeerLibrary* open_peer_library() {
  static tw::bench::OneDnn library;
  return &library;
}
