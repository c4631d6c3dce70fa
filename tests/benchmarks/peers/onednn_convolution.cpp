// A convolution by oneDNN, as a process that is asked for samples: formats of its own choice, weights
// reordered before anything is timed. Built by the benchmark with `g++ -O2 ... -ldnnl`; a measuring
// tool, no part of the product.
//
// arguments: algorithm (direct, auto) channels height outputs kernel stride pad folder
// reads folder/0.bin (input, NCHW), folder/weights.bin, folder/bias.bin; writes folder/peer.bin
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "dnnl.hpp"

using namespace dnnl;
using tag = memory::format_tag;

namespace {

std::vector<float> read(std::string const& path, size_t count) {
  std::vector<float> values(count);
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(values.data()),
                                             std::streamsize(count * sizeof(float)));
  return values;
}

memory plain(engine const& cpu, memory::dims const& dims, tag format, std::vector<float>& values) {
  return {{dims, memory::data_type::f32, format}, cpu, values.data()};
}

/// The same tensor in the layout that the primitive wants.
memory in_layout(engine const& cpu, stream& queue, memory from, memory::desc const& wanted) {
  if (from.get_desc() == wanted) return from;
  memory to(wanted, cpu);
  reorder(from, to).execute(queue, from, to);
  queue.wait();
  return to;
}

}  // namespace

int main(int count, char** values) {
  if (count != 9) return 2;
  auto number = [&](int i) { return memory::dim(std::atoll(values[i])); };
  memory::dim c = number(2), h = number(3), o = number(4), k = number(5), s = number(6),
              p = number(7), out = (h + 2 * p - k) / s + 1;
  std::string folder = values[8];
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  auto x = read(folder + "/0.bin", size_t(c * h * h)), w = read(folder + "/weights.bin", size_t(o * c * k * k)),
       b = read(folder + "/bias.bin", size_t(o));
  std::vector<float> y(size_t(o * out * out));
  auto any = [](memory::dims const& dims) {
    return memory::desc(dims, memory::data_type::f32, tag::any);
  };
  algorithm kind = std::string(values[1]) == "direct" ? algorithm::convolution_direct
                                                      : algorithm::convolution_auto;
  memory::desc bias({o}, memory::data_type::f32, tag::x);
#if DNNL_VERSION_MAJOR >= 3
  convolution_forward::primitive_desc chosen(cpu, prop_kind::forward_inference, kind,
                                             any({1, c, h, h}), any({o, c, k, k}), bias,
                                             any({1, o, out, out}), {s, s}, {p, p}, {p, p});
#else
  convolution_forward::primitive_desc chosen(
      {prop_kind::forward_inference, kind, any({1, c, h, h}), any({o, c, k, k}), bias,
       any({1, o, out, out}), {s, s}, {p, p}, {p, p}},
      cpu);
#endif
  memory source = in_layout(cpu, queue, plain(cpu, {1, c, h, h}, tag::nchw, x), chosen.src_desc());
  memory weights =
      in_layout(cpu, queue, plain(cpu, {o, c, k, k}, tag::oihw, w), chosen.weights_desc());
  memory added(bias, cpu, b.data()), result(chosen.dst_desc(), cpu);
  convolution_forward primitive(chosen);
  std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, source},
                                            {DNNL_ARG_WEIGHTS, weights},
                                            {DNNL_ARG_BIAS, added},
                                            {DNNL_ARG_DST, result}};
  auto once = [&] {
    auto start = std::chrono::steady_clock::now();
    primitive.execute(queue, arguments);
    queue.wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  };
  once();
  memory back = plain(cpu, {1, o, out, out}, tag::nchw, y);
  reorder(result, back).execute(queue, result, back);
  queue.wait();
  std::ofstream(folder + "/peer.bin", std::ios::binary)
      .write(reinterpret_cast<char*>(y.data()), std::streamsize(y.size() * sizeof(float)));
  std::printf("ready %s\n", chosen.impl_info_str());
  std::fflush(stdout);
  for (int rounds = 0; std::scanf("%d", &rounds) == 1;) {
    std::printf("[");
    for (int i = 0; i < rounds; ++i) std::printf("%s%.6f", i ? ", " : "", once());
    std::printf("]\n");
    std::fflush(stdout);
  }
}
