/// Kernels whose readers are not what the simple ones have: one tensor at several places, readers
/// larger than what they read, indices computed or read from tensors, parts that schedules compute
/// twice, every type; some by hand, any number at random.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "engine/support/base/random.h"

namespace tw::testing {

/// By hand: one for each kind of reader that once was scheduled wrongly, or could be.
inline std::vector<std::string> const& hard_kernels() {
  static std::vector<std::string> const texts{
      "kernel outer(X: f32[5]) -> Y\n"
      "  T[i in 5] = X[i] * 3.0\n"
      "  Y[i in 5, k in 5] = T[i] * T[k]\n",
      "kernel gram(A: f32[5, 6], B: f32[6, 5]) -> Y\n"
      "  C[i in 5] = sum[k in 6] A[i, k] * B[k, i]\n"
      "  Y[i in 5, j in 5] = C[i] * C[j]\n",
      "kernel neighbours(X: f32[8]) -> Y\n"
      "  T[i in 8] = X[i] * 2.0\n"
      "  Y[i in 7] = T[i] + T[i+1]\n",
      "kernel mirrored(X: f32[5, 4], W: f32[4, 5]) -> (Y, D)\n"
      "  A[i in 5, j in 5] = sum[k in 4] X[i, k] * W[k, j]\n"
      "  Y[i in 5, j in 5] = A[i, j] - A[j, i]\n"
      "  D[i in 5] = A[i, i]\n",
      "kernel cat(Z: f32[3], W: f32[4]) -> Y\n"
      "  A[i in 3] = Z[i] * 2.0\n"
      "  B[i in 4] = W[i] + 1.0\n"
      "  Y[i in 7] = select(i < 3, A[i], B[i-3])\n",
      "kernel wider(X: f32[6, 5], W: f32[5, 4]) -> Y\n"
      "  A[i in 6, j in 4] = sum[k in 5] X[i, k] * W[k, j]\n"
      "  Y[i in 8, j in 4] = select(i < 6, A[i, j], 0)\n",
      "kernel framed(X: f32[4, 5]) -> Y\n"
      "  A[i in 4, j in 5] = X[i, j] * X[i, j]\n"
      "  Y[i in 6, j in 7] = select(1 <= i && i < 5 && 1 <= j && j < 6, A[i-1, j-1], 0.5)\n",
      "kernel strided(X: f32[7]) -> (Y, R, H)\n"
      "  T[i in 7] = X[i] + 1.0\n"
      "  Y[i in 6] = T[(3*i+2) % 7]\n"
      "  R[i in 7] = T[6-i] * 2.0\n"
      "  H[f in 12] = T[f//2] - T[f//3]\n",
      "kernel reshaped(X: f32[4, 6]) -> Y\n"
      "  T[i in 4, j in 6] = X[i, j] * 2.0\n"
      "  F[f in 24] = T[f//6, f%6] + 1.0\n"
      "  Y[a in 3, b in 8] = F[a*8+b] * F[23-a*8-b]\n",
      "kernel gather(X: f32[6, 4], I: i64[5]) -> C\n"
      "  J[i in 5]: i64 = (I[i] + 6) % 7\n"
      "  T[i in 6, j in 4] = X[i, j] * 2.0\n"
      "  C[i in 5, j in 4] = T[J[i] % 6, j] + 1.0\n",
      "kernel gather_sum(X: f32[6, 3], I: i32[4, 2]) -> Y\n"
      "  J[i in 4, k in 2]: i32 = (I[i, k] * 2:i32 + 1:i32) % 6:i32\n"
      "  T[i in 6, j in 3] = X[i, j] * X[5-i, j]\n"
      "  Y[i in 4, j in 3] = sum[k in 2] T[J[i, k] % 6:i32, j]\n",
      "kernel readers(X: f32[6, 4]) -> (Y, Z, S)\n"
      "  T[i in 6, j in 4] = X[i, j] * 0.5\n"
      "  Y[i in 6, j in 4] = T[i, j] + T[5-i, j]\n"
      "  Z[j in 4, i in 3] = T[i*2, j] - T[i*2+1, j]\n"
      "  S[i in 6] = sum[j in 4] T[i, j]\n",
      "kernel overlapped(X: f32[8], W: f32[3]) -> R\n"
      "  P[i in 8] = X[i] * 2.0\n"
      "  C[i in 8] = P[i] + 1.0\n"
      "  R[i in 8] = sum[k in 3] C[i] * W[k]\n",
      "kernel windows(X: f32[9], W: f32[3]) -> Y\n"
      "  P[i in 9] = X[i] + 0.25\n"
      "  C[i in 7] = sum[r in 3] P[i+r] * W[r]\n"
      "  M[i in 5] = max[r in 3] C[i+r]\n"
      "  Y[i in 5] = M[i] - P[i+2]\n",
      "kernel argmax(X: f32[4, 7]) -> (A, V)\n"
      "  V[b in 4] = max[k in 7] X[b, k]\n"
      "  A[b in 4]: i64 = min[k in 7] select(X[b, k] == V[b], k, 7)\n",
      "kernel masks(X: i32[5, 6], Y: i32[6]) -> Z\n"
      "  B[i in 5, j in 6]: bool = X[i, j] < Y[j]\n"
      "  N[i in 5]: i32 = sum[j in 6] select(B[i, j], 1:i32, 0:i32)\n"
      "  Z[i in 5, j in 6]: i32 = select(B[i, j] && B[4-i, j], X[i, j] * N[i], 0:i32)\n",
      "kernel bytes(X: u8[6, 8], W: u8[8]) -> Y\n"
      "  T[i in 6, j in 8]: u8 = X[i, j] * 3:u8 + W[j]\n"
      "  Y[i in 6]: i32 = sum[j in 8] i32(T[i, j]) * i32(T[i, 7-j])\n",
      "kernel halves(X: f16[5, 6], W: f16[6, 4]) -> Y\n"
      "  T[i in 5, j in 6]: f16 = X[i, j] * 0.5:f16 + X[4-i, j]\n"
      "  Y[i in 5, j in 4] = sum[k in 6] f32(T[i, k]) * f32(W[k, j])\n",
      "kernel products(A: i64[4, 5], B: i64[5, 3]) -> D\n"
      "  C[i in 4, j in 3]: i64 = sum[k in 5] A[i, k] * B[k, j]\n"
      "  D[i in 4, j in 3]: i64 = C[i, j] + C[3-i, 2-j]\n",
      "kernel factors(X: f32[4, 5]) -> Y\n"
      "  P[i in 4] = prod[k in 5] X[i, k]\n"
      "  Y[i in 4, j in 4] = P[i] - P[j] * 2.0\n",
      "kernel crossing(X: f32[5, 4]) -> Y\n"
      "  T[i in 5, j in 4] = X[i, j] * 2.0\n"
      "  H[scan t in 5, j in 4]: f32 = T[t, j] + select(1 <= t, H[t-1, 3-j] * 0.5, 0)\n"
      "  Y[i in 5, j in 4] = H[4-i, j] + H[i, j]\n",
      "kernel counting(X: i32[6], I: i64[6]) -> (S, G)\n"
      "  S[scan t in 6]: i32 = X[t] + select(1 <= t, S[t-1], 0:i32)\n"
      "  G[i in 6]: i32 = S[(I[i] * 5 + i) % 6]\n",
      "kernel pooled(X: f32[8, 3], W: f32[3, 4]) -> Y\n"
      "  C[y in 8, x in 4] = sum[k in 3] X[y, k] * W[k, x]\n"
      "  Y[y in 4, x in 2] = max[r in 2, s in 2] C[y*2+r, x*2+s]\n",
      "kernel sweeps(X: f32[11, 3]) -> C\n"
      "  A[y in 9, x in 3] = X[y, x] + X[y+2, x] * 0.5\n"
      "  B[y in 7, x in 3] = A[y, x] + A[y+2, x] * 0.5\n"
      "  C[y in 5, x in 3] = B[y, x] - B[y+2, x] * 0.5\n",
      "kernel clamped(X: f32[6, 4]) -> Y\n"
      "  T[i in 6, j in 4] = X[i, j] * 2.0\n"
      "  Y[i in 12, j in 4] = T[min(i//2 + 1, 5), j] - T[max(i//2 - 1, 0), min(j+1, 3)]\n",
  };
  return texts;
}

/// Kernels made at random of what the ones above are made of. The same generator state, the same
/// text.
class KernelMaker {
public:
  explicit KernelMaker(Rng& rng) : rng_(rng) {}

  std::string make() {
    std::string heads;
    for (auto const& [name, type] : {std::pair{"X", "f32"}, {"Z", "f32"}, {"I", "i64"}}) {
      Tensor tensor{name, type, {}, true};
      for (int64_t rank = rng_.between(1, 2); rank > 0; --rank)
        tensor.shape.push_back(some_extent(3, 7));
      heads += fmt::format("{}{}: {}[{}]", heads.empty() ? "" : ", ", name, type,
                           fmt::join(tensor.shape, ", "));
      tensors_.push_back(std::move(tensor));
    }
    std::string stages;
    int64_t count = rng_.between(2, 4);
    for (int64_t i = 0; i < count; ++i) stages += stage(i);
    std::string outputs = tensors_.back().name;
    if (count > 2 && rng_.below(3) == 0) outputs = "(s1, " + outputs + ")";
    return fmt::format("kernel made({}) -> {}\n{}", heads, outputs, stages);
  }

private:
  struct Tensor {
    std::string name, type;
    std::vector<int64_t> shape;
    bool input = false;
  };
  struct Axis {
    std::string name;
    int64_t extent;
  };

  bool one_in(int64_t n) { return rng_.below(n) == 0; }
  /// Of every dimension and loop, those of sums among them, now and then a single one.
  int64_t some_extent(int64_t low, int64_t high) { return one_in(8) ? 1 : rng_.between(low, high); }
  template <typename T>
  T const& any(std::vector<T> const& list) {
    return list[size_t(rng_.below(int64_t(list.size())))];
  }

  /// Stages made before, the latest first; now and then an input.
  Tensor const& tensor_of(bool exact) {
    for (int tries = 0; tries < 20; ++tries) {
      size_t stages = tensors_.size() - 3;
      Tensor const& found = stages == 0 || one_in(4) ? tensors_[size_t(rng_.below(3))]
                            : one_in(2)              ? tensors_.back()
                                        : tensors_[3 + size_t(rng_.below(int64_t(stages)))];
      if (!exact || found.input || !is_floating(found.type)) return found;
    }
    return tensors_[2];
  }

  static bool is_floating(std::string const& type) { return type[0] == 'f'; }

  /// An index for a dimension, inside of it by itself or by the guards that it adds.
  std::string index(int64_t extent, std::vector<Axis> const& axes, size_t turn, int depth,
                    std::vector<std::string>& guards) {
    Axis const& a = one_in(3) ? any(axes) : axes[turn % axes.size()];
    Axis const& b = any(axes);
    if (one_in(8) && depth == 0) return data_index(extent, axes);
    if (one_in(8)) return clamped_index(extent, a);
    if (one_in(10))
      if (std::string bits = index_of_bits(extent, a); !bits.empty()) return bits;
    if (one_in(8))
      return fmt::format("({}*{}+{}) % {}", rng_.between(1, 4), a.name, rng_.below(extent), extent);
    if (one_in(9) && (a.extent - 1) / 2 < extent) return a.name + "//2";
    if (one_in(9) && (a.extent - 1) / 3 < extent) return a.name + "//3";
    if (one_in(8) && a.name != b.name && a.extent + b.extent - 2 < extent)
      return a.name + "+" + b.name;
    if (one_in(9) && a.name != b.name)
      return fmt::format("({}*{}+{}) % {}", a.name, b.extent, b.name, extent);
    if (one_in(20)) return std::to_string(rng_.below(extent));
    if (a.extent <= extent) {
      int64_t room = one_in(2) ? 0 : rng_.between(0, extent - a.extent);
      if (one_in(5)) return fmt::format("{}-{}", a.extent - 1 + room, a.name);
      return room == 0 ? a.name : fmt::format("{}+{}", a.name, room);
    }
    if (one_in(3)) return fmt::format("{} % {}", a.name, extent);
    int64_t before = rng_.between(0, a.extent - extent);
    if (before > 0) guards.push_back(fmt::format("{} <= {}", before, a.name));
    guards.push_back(fmt::format("{} < {}", a.name, before + extent));
    return before > 0 ? fmt::format("{}-{}", a.name, before) : a.name;
  }

  /// What lies outside is taken at the border, as stencils, edge padding and resizing do it.
  std::string clamped_index(int64_t extent, Axis const& a) {
    int64_t apart = rng_.between(0, 3), last = extent - 1;
    switch (rng_.below(4)) {
      case 0:
        return fmt::format("min({}+{}, {})", a.name, apart, last);
      case 1:
        return fmt::format("max(min({}, {})-{}, 0)", a.name, last, apart);
      case 2:
        return fmt::format("min(max({}-{}, 0), {})", a.name, apart, last);
      default:
        return fmt::format("min(max({}*2-{}, 0), {})", a.name, apart, last);
    }
  }

  /// Empty: the form that was drawn leaves the dimension.
  std::string index_of_bits(int64_t extent, Axis const& a) {
    int64_t last = a.extent - 1, bits = 1;
    while (2 * bits <= extent) bits *= 2;  // as many values as `bits` has are inside
    switch (rng_.below(5)) {
      case 0:
        return fmt::format("({}*3+{}) & {}", a.name, rng_.below(4), bits - 1);
      case 1:
        return last / 2 < extent ? fmt::format("{} >> 1", a.name) : "";
      case 2:
        return 2 * last < extent ? fmt::format("{} << 1", a.name) : "";
      case 3:
        return last < bits ? fmt::format("{} ^ {}", a.name, rng_.below(bits)) : "";
      default:
        return last < bits ? fmt::format("{} | {}", a.name, rng_.below(bits)) : "";
    }
  }

  /// An index that is read from an integer tensor, made earlier or given.
  std::string data_index(int64_t extent, std::vector<Axis> const& axes) {
    Tensor const* from = &tensors_[2];
    for (Tensor const& tensor : tensors_)
      if (tensor.type == "i64" && one_in(2)) from = &tensor;
    std::vector<std::string> guards;
    std::string element = element_of(*from, axes, 1, guards);
    if (!guards.empty()) element = fmt::format("I[{}]", zeros(tensors_[2]));
    if (one_in(3)) return fmt::format("min(max({}, 0), {})", element, extent - 1);
    return fmt::format("{} % {}", element, extent);
  }

  static std::string zeros(Tensor const& tensor) {
    return fmt::format("{}", fmt::join(std::vector<int>(tensor.shape.size(), 0), ", "));
  }

  std::string element_of(Tensor const& tensor, std::vector<Axis> const& axes, int depth,
                         std::vector<std::string>& guards) {
    std::vector<std::string> indices;
    size_t turn = one_in(4) ? size_t(rng_.below(3)) : 0;
    for (size_t d = 0; d < tensor.shape.size(); ++d)
      indices.push_back(index(tensor.shape[d], axes, turn + d, depth, guards));
    return fmt::format("{}[{}]", tensor.name, fmt::join(indices, ", "));
  }

  /// A read of some tensor as a value of the type. Only what is exact turns into a whole number or
  /// a condition: there a difference of rounding would be one of the result.
  std::string read(std::string const& type, std::vector<Axis> const& axes) {
    Tensor const& tensor = tensor_of(!is_floating(type));
    std::vector<std::string> guards;
    std::string text = element_of(tensor, axes, 0, guards);
    if (tensor.type == "bool")
      text = fmt::format("select({}, {}, {})", text, literal(type, 2), literal(type, 1));
    else if (is_floating(tensor.type) && !is_floating(type))
      text = fmt::format("{}({} * 8.0)", type, text);
    else if (tensor.type != type)
      text = fmt::format("{}({})", type, text);
    if (guards.empty()) return text;
    return fmt::format("select({}, {}, {})", fmt::join(guards, " && "), text,
                       one_in(2) ? literal(type, 0) : literal(type, 3));
  }

  static std::string literal(std::string const& type, int value) {
    if (type == "f32") return fmt::format("{}.0", value);
    return type == "f16" ? fmt::format("{}.0:f16", value) : fmt::format("{}:{}", value, type);
  }

  std::string combined(std::string const& type, std::vector<Axis> const& axes) {
    std::string text = read(type, axes);
    for (int64_t more = rng_.between(0, 2); more > 0; --more) {
      std::string other = read(type, axes);
      // Halves grow too fast as products.
      int64_t how = rng_.below(type == "f16" ? 3 : 5);
      // Few places: where all bits leave, every order is right by chance.
      if (!is_floating(type) && text.size() % 4 == 0) {
        static std::string const kBits[] = {"({}) | ({})", "({}) ^ ({})", "({}) << (({}) & 3:{})",
                                            "~({}) & ({})", "({}) >> (({}) & 1:{})"};
        text = fmt::format(fmt::runtime(kBits[how]), text, other, type);
        continue;
      }
      text = how == 0   ? fmt::format("max({}, {})", text, other)
             : how == 1 ? fmt::format("{} + {}", text, other)
             : how == 2 ? fmt::format("{} - {}", text, other)
                        : fmt::format("({}) * {}", text, other);
    }
    return text;
  }

  std::string type_of() {
    static std::vector<std::string> const types{"f32", "f32", "f32", "f32", "f32", "f32",
                                                "i32", "i64", "i64", "u8",  "f16", "bool"};
    return any(types);
  }

  /// What follows a sum: each element of the last tensor, as it is.
  std::string epilogue(int64_t number) {
    Tensor last = tensors_.back();
    std::vector<std::string> axes, list;
    for (size_t d = 0; d < last.shape.size(); ++d) {
      axes.push_back(std::string(1, "ijl"[d]));
      list.push_back(fmt::format("{} in {}", axes.back(), last.shape[d]));
    }
    std::string element = fmt::format("{}[{}]", last.name, fmt::join(axes, ", "));
    last.name = fmt::format("s{}", number);
    tensors_.push_back(last);
    return fmt::format("  {}[{}]: {} = max({}, {})\n", last.name, fmt::join(list, ", "), last.type,
                       element, literal(last.type, 1));
  }

  std::string stage(int64_t number) {
    if (tensors_.size() > 3 && tensors_.back().type != "bool" && one_in(4)) return epilogue(number);
    Tensor made{fmt::format("s{}", number), type_of(), {}, false};
    std::vector<Axis> axes;
    static char const* const kNames[] = {"i", "j", "l"};
    Tensor const& like = tensors_.back();
    for (int64_t d = 0, rank = rng_.between(1, 5) / 2 + 1; d < std::min<int64_t>(rank, 3); ++d) {
      bool same = size_t(d) < like.shape.size() && one_in(2);
      axes.push_back({kNames[d], same ? like.shape[size_t(d)] : some_extent(2, 7)});
      made.shape.push_back(axes.back().extent);
    }
    int64_t kind = made.type == "bool" ? 0 : rng_.below(10);
    std::string body = kind < 5   ? pointwise(made.type, axes)
                       : kind < 8 ? reduction(made.type, axes)
                                  : recurrence(made, axes);
    std::vector<std::string> list;
    for (Axis const& axis : axes) list.push_back(fmt::format("{} in {}", axis.name, axis.extent));
    if (kind >= 8) list[0] = "scan " + list[0];
    std::string text =
        fmt::format("  {}[{}]: {} = {}\n", made.name, fmt::join(list, ", "), made.type, body);
    tensors_.push_back(std::move(made));
    return text;
  }

  std::string pointwise(std::string const& type, std::vector<Axis> const& axes) {
    if (type != "bool") return combined(type, axes);
    return fmt::format("{} < {}", read("i64", axes), read("i64", axes));
  }

  std::string reduction(std::string const& type, std::vector<Axis> axes) {
    std::vector<Axis> over{{"k", one_in(4) ? 1 : rng_.between(2, 5)}};
    if (one_in(3)) over.push_back({"r", some_extent(2, 3)});
    std::vector<std::string> list;
    for (Axis const& axis : over) {
      list.push_back(fmt::format("{} in {}", axis.name, axis.extent));
      axes.insert(axes.begin() + rng_.below(int64_t(axes.size()) + 1), axis);
    }
    if (one_in(2))
      return fmt::format("sum[{}] {} * ({})", fmt::join(list, ", "), padded(type, axes, over[0]),
                         combined(type, axes));
    char const* how = one_in(4) ? "max" : one_in(6) ? "min" : "sum";
    return fmt::format("{}[{}] {}", how, fmt::join(list, ", "), combined(type, axes));
  }

  /// A factor that is zero outside of a tensor, as padding makes it for a window over it.
  std::string padded(std::string const& type, std::vector<Axis> const& axes, Axis const& window) {
    Tensor const& tensor = tensor_of(!is_floating(type));
    std::vector<std::string> guards;
    std::string along = fmt::format("{}+{}", any(axes).name, window.name);
    int64_t before = rng_.between(0, 2);
    if (before > 0) guards.push_back(fmt::format("{} <= {}", before, along));
    guards.push_back(fmt::format("{} < {}", along, before + tensor.shape[0]));
    std::vector<std::string> indices{before > 0 ? fmt::format("{}-{}", along, before) : along};
    for (size_t d = 1; d < tensor.shape.size(); ++d)
      indices.push_back(index(tensor.shape[d], axes, d, 0, guards));
    std::string text = fmt::format("{}[{}]", tensor.name, fmt::join(indices, ", "));
    if (tensor.type == "bool")
      text = fmt::format("select({}, {}, {})", text, literal(type, 2), literal(type, 1));
    else if (is_floating(tensor.type) && !is_floating(type))
      text = fmt::format("{}({} * 8.0)", type, text);
    std::string source =
        tensor.type == "bool" || is_floating(tensor.type) > is_floating(type) ? type : tensor.type;
    text = fmt::format("select({}, {}, {})", fmt::join(guards, " && "), text, literal(source, 0));
    return source == type ? text : fmt::format("{}({})", type, text);
  }

  /// Each step takes from the one before, at the same place or at the mirrored one.
  std::string recurrence(Tensor const& made, std::vector<Axis> const& axes) {
    std::vector<std::string> indices{axes[0].name + "-1"};
    for (size_t d = 1; d < axes.size(); ++d)
      indices.push_back(one_in(3) ? fmt::format("{}-{}", axes[d].extent - 1, axes[d].name)
                                  : axes[d].name);
    std::string last = fmt::format("{}[{}]", made.name, fmt::join(indices, ", "));
    if (is_floating(made.type)) last += made.type == "f16" ? " * 0.5:f16" : " * 0.5";
    return fmt::format("{} + select(1 <= {}, {}, {})", combined(made.type, axes), axes[0].name,
                       last, literal(made.type, 0));
  }

  Rng& rng_;
  std::vector<Tensor> tensors_;
};

inline std::string random_kernel(Rng& rng) { return KernelMaker(rng).make(); }

}  // namespace tw::testing
