// OpenBLAS as a peer: cblas_sgemm. Which of its kernels runs, OPENBLAS_CORETYPE decides when the
// library is opened.
#include <cblas.h>

#include "tests/benchmarks/peers/peer.h"

namespace tw::bench {
namespace {

class Sgemm final : public PeerKernel {
public:
  Sgemm(int64_t size, float const* a, float const* b)
      : size_(blasint(size)), a_(a), b_(b), c_(size_t(size * size)) {}

  std::string algorithm() const override { return "sgemm"; }
  std::string implementation() const override { return openblas_get_corename(); }
  void run() override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size_, size_, size_, 1, a_, size_, b_,
                size_, 0, c_.data(), size_);
  }
  std::vector<float> output() override { return c_; }

private:
  blasint size_;
  float const *a_, *b_;
  std::vector<float> c_;
};

class OpenBlas final : public PeerLibrary {
public:
  std::string title() const override {
    return std::string(openblas_get_config()) + ", kernels of " + openblas_get_corename();
  }
  std::vector<std::unique_ptr<PeerKernel>> kernels(Workload const& workload, float const* data,
                                                   float const* weights) override {
    std::vector<std::unique_ptr<PeerKernel>> kernels;
    if (workload.is_matrix_product())
      kernels.push_back(std::make_unique<Sgemm>(workload.matrix, data, weights));
    return kernels;
  }
};

}  // namespace
}  // namespace tw::bench

extern "C" tw::bench::PeerLibrary* open_peer_library() {
  openblas_set_num_threads(1);
  static tw::bench::OpenBlas library;
  return &library;
}
