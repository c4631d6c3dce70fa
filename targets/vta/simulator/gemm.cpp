#include "targets/vta/simulator/gemm.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tw::vta {
namespace {

/// Calls `step(dst, src, wgt)` for each step of the nest, with indices of elements.
template <typename Step>
[[gnu::always_inline]] inline void for_each_step(GemmCall const& call, Step&& step) {
  Nest const& nest = call.nest;
  for (uint32_t o = 0; o < nest.outer; ++o)
    for (uint32_t i = 0; i < nest.inner; ++i) {
      size_t dst = size_t(o) * nest.dst.outer + size_t(i) * nest.dst.inner;
      size_t src = size_t(o) * nest.src.outer + size_t(i) * nest.src.inner;
      size_t wgt = size_t(o) * nest.wgt.outer + size_t(i) * nest.wgt.inner;
      for (MicroOp const& uop : call.uops) step(dst + uop.dst, src + uop.src, wgt + uop.wgt);
    }
}

/// One row of one product: acc[o] += sum over p of inp[2p] pairs[p][o][0] + inp[2p+1]
/// pairs[p][o][1]. Plain loops of constant length, which compilers turn into vectors.
template <int kBlock>
inline void row_of_pairs(int8_t const* inp, int16_t const* pairs, int32_t* acc, int8_t* out) {
  uint32_t sums[kBlock];
  for (int o = 0; o < kBlock; ++o) sums[o] = uint32_t(acc[o]);
  for (int p = 0; p < kBlock / 2; ++p)
    for (int o = 0; o < kBlock; ++o)
      sums[o] += uint32_t(inp[2 * p] * pairs[(p * kBlock + o) * 2] +
                          inp[2 * p + 1] * pairs[(p * kBlock + o) * 2 + 1]);
  for (int o = 0; o < kBlock; ++o) acc[o] = int32_t(sums[o]), out[o] = int8_t(sums[o]);
}

template <int kBlock>
void gemm_of_pairs(GemmCall const& call) {
  for_each_step(call, [&](size_t dst, size_t src, size_t wgt) {
    int16_t const* pairs = call.wgt_pairs + wgt * kBlock * kBlock;
    for (int64_t b = 0; b < call.batch; ++b) {
      size_t row = size_t(b) * kBlock, lanes = size_t(call.batch) * kBlock;
      row_of_pairs<kBlock>(call.inp + src * lanes + row, pairs, call.acc + dst * lanes + row,
                           call.out + dst * lanes + row);
    }
  });
}

#ifdef __x86_64__

/// Eight outputs a vector: broadcast two inputs, multiply and sum pairs.
template <int kBlock>
[[gnu::target("avx2"), gnu::always_inline]] inline void row_of_pairs_avx2(int8_t const* inp,
                                                                          int16_t const* pairs,
                                                                          int32_t* acc,
                                                                          int8_t* out) {
  constexpr int kVectors = kBlock / 8;
  alignas(32) int32_t inputs[kBlock / 2];
  if constexpr (kBlock >= 16) {
    for (int k = 0; k < kBlock; k += 16) {
      __m128i bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(inp + k));
      _mm256_store_si256(reinterpret_cast<__m256i*>(inputs + k / 2), _mm256_cvtepi8_epi16(bytes));
    }
  } else {
    __m128i bytes = _mm_loadl_epi64(reinterpret_cast<__m128i const*>(inp));
    _mm_store_si128(reinterpret_cast<__m128i*>(inputs), _mm_cvtepi8_epi16(bytes));
  }
  __m256i sums[kVectors];
  for (int v = 0; v < kVectors; ++v)
    sums[v] = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(acc + 8 * v));
#pragma GCC unroll 16
  for (int p = 0; p < kBlock / 2; ++p) {
    __m256i pair = _mm256_set1_epi32(inputs[p]);
    for (int v = 0; v < kVectors; ++v) {
      auto const* at = reinterpret_cast<__m256i const*>(pairs + (p * kBlock + 8 * v) * 2);
      sums[v] = _mm256_add_epi32(sums[v], _mm256_madd_epi16(pair, _mm256_loadu_si256(at)));
    }
  }
  // The low byte of each lane, next to each other in the low four bytes of each half.
  __m256i const low = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
  for (int v = 0; v < kVectors; ++v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(acc + 8 * v), sums[v]);
    __m256i bytes = _mm256_shuffle_epi8(sums[v], low);
    _mm_storel_epi64(
        reinterpret_cast<__m128i*>(out + 8 * v),
        _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
  }
}

template <int kBlock>
[[gnu::target("avx2")]] void gemm_avx2(GemmCall const& call) {
  Nest const& nest = call.nest;
  size_t const lanes = size_t(call.batch) * kBlock;
  for (uint32_t o = 0; o < nest.outer; ++o)
    for (uint32_t i = 0; i < nest.inner; ++i) {
      size_t dst = size_t(o) * nest.dst.outer + size_t(i) * nest.dst.inner;
      size_t src = size_t(o) * nest.src.outer + size_t(i) * nest.src.inner;
      size_t wgt = size_t(o) * nest.wgt.outer + size_t(i) * nest.wgt.inner;
      for (MicroOp const& uop : call.uops)
        for (size_t row = 0; row < lanes; row += kBlock)
          row_of_pairs_avx2<kBlock>(call.inp + (src + uop.src) * lanes + row,
                                    call.wgt_pairs + (wgt + uop.wgt) * kBlock * kBlock,
                                    call.acc + (dst + uop.dst) * lanes + row,
                                    call.out + (dst + uop.dst) * lanes + row);
    }
}

bool has_avx2() { return __builtin_cpu_supports("avx2"); }

#else

bool has_avx2() { return false; }
template <int kBlock>
void gemm_avx2(GemmCall const& call) {
  gemm_of_pairs<kBlock>(call);
}

#endif

/// The saturated plane follows from what ACC holds in the end.
void saturate(GemmCall const& call) {
  size_t const lanes = size_t(call.batch * call.block);
  for_each_step(call, [&](size_t dst, size_t, size_t) {
    for (size_t at = dst * lanes; at < (dst + 1) * lanes; ++at)
      call.out_saturated[at] = int8_t(saturated_to(call.acc[at], call.out_bits));
  });
}

template <int kBlock>
void gemm_of_block(GemmCall const& call) {
  has_avx2() ? gemm_avx2<kBlock>(call) : gemm_of_pairs<kBlock>(call);
}

}  // namespace

void gemm_by_definition(GemmCall const& call) {
  size_t const block = size_t(call.block), lanes = size_t(call.batch) * block;
  for_each_step(call, [&](size_t dst, size_t src, size_t wgt) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      size_t at = dst * lanes + lane, row = lane - lane % block;
      auto sum = uint32_t(call.acc[at]);
      for (size_t k = 0; k < block; ++k)
        sum += uint32_t(call.inp[src * lanes + row + k] *
                        call.wgt[(wgt * block + lane % block) * block + k]);
      call.acc[at] = low_bits(int32_t(sum), call.acc_bits);
      call.out[at] = int8_t(low_bits(call.acc[at], call.out_bits));
      if (call.out_saturated)
        call.out_saturated[at] = int8_t(saturated_to(call.acc[at], call.out_bits));
    }
  });
}

void gemm_fast(GemmCall const& call) {
  bool plain = call.acc_bits == 32 && call.out_bits == 8 && call.wgt_pairs;
  if (!plain || !has_pairs(call.block)) return gemm_by_definition(call);
  if (call.block == 8) gemm_of_block<8>(call);
  if (call.block == 16) gemm_of_block<16>(call);
  if (call.block == 32) gemm_of_block<32>(call);
  if (call.out_saturated) saturate(call);
}

bool has_pairs(int64_t block) { return block == 8 || block == 16 || block == 32; }

void make_pairs(int64_t block, int8_t const* wgt, int16_t* pairs) {
  for (int64_t p = 0; p < block / 2; ++p)
    for (int64_t o = 0; o < block; ++o) {
      pairs[(p * block + o) * 2] = wgt[o * block + 2 * p];
      pairs[(p * block + o) * 2 + 1] = wgt[o * block + 2 * p + 1];
    }
}

}  // namespace tw::vta
