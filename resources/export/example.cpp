// Runs the model in this folder on the stored inputs in test/, compares with the stored outputs
// and measures.
//
//   c++ -O2 -std=c++17 example.cpp -o example -L. -ltilewright_runtime -Wl,-rpath,'$ORIGIN'
//   ./example [--folder ITS_OWN] [--threads 0] [--rounds 20]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tilewright.h"

[[noreturn]] static void fail(std::string const& sentence) {
  std::fflush(stdout);
  std::fprintf(stderr, "example: %s\n", sentence.c_str());
  std::exit(1);
}

static std::vector<char> read_tensor(std::string const& path, int64_t bytes) {
  std::vector<char> content(size_t(bytes) + 1);
  std::ifstream file(path, std::ios::binary);
  file.read(content.data(), std::streamsize(content.size()));
  if (file.gcount() != bytes)
    fail(path + " does not hold the " + std::to_string(bytes) + " bytes of its tensor");
  return content;
}

// The heart of it: load, write the inputs, run. The outputs are then at tw_output_data().
static TwModel* load_and_run(std::string const& folder, int threads) {
  TwModel* model = tw_load(folder.c_str(), threads);
  for (int32_t i = 0; model != nullptr && i < tw_input_count(model); ++i) {
    TwTensor const& tensor = *tw_input(model, i);
    auto stored = read_tensor(folder + "/test/input_" + std::to_string(i) + ".bin", tensor.bytes);
    std::memcpy(tw_input_data(model, i), stored.data(), size_t(tensor.bytes));
  }
  if (model == nullptr || tw_run(model) != 0) fail(tw_error());
  return model;
}

struct Difference {
  double most = 0, largest = 0;  // of differences, and of what is stored
  bool equal = true;
};

// Over the largest value: a thousandth, or more where the model rounds floats to integers.
static double read_tolerance(std::string const& folder) {
  std::ifstream file(folder + "/test/tolerance.txt");
  double tolerance = 0;
  if (!(file >> tolerance)) fail(folder + "/test/tolerance.txt does not hold a number");
  return tolerance;
}

// NaN equals NaN only.
static Difference compare(TwTensor const& tensor, void const* ours, void const* stored,
                          double tolerance) {
  Difference result;
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) count *= tensor.shape[i];
  for (int64_t i = 0; i < count; ++i) {
    double a = tw_value(ours, tensor.type, i), b = tw_value(stored, tensor.type, i);
    if (std::isnan(a) != std::isnan(b)) result.equal = false;
    if (std::isnan(a) || std::isnan(b) || a == b) {
      if (std::isfinite(b)) result.largest = std::max(result.largest, std::fabs(b));
      continue;
    }
    result.most = std::max(result.most, std::fabs(a - b));
    result.largest = std::max(result.largest, std::isfinite(b) ? std::fabs(b) : 0.0);
  }
  result.equal = result.equal && result.most <= tolerance * result.largest + 1e-6;
  return result;
}

static Difference compare_all(TwModel const* model, std::string const& folder) {
  Difference all;
  double tolerance = read_tolerance(folder);
  for (int32_t i = 0; i < tw_output_count(model); ++i) {
    TwTensor const& tensor = *tw_output(model, i);
    auto stored = read_tensor(folder + "/test/output_" + std::to_string(i) + ".bin", tensor.bytes);
    Difference one = compare(tensor, tw_output_data(model, i), stored.data(), tolerance);
    all.equal = all.equal && one.equal;
    all.most = std::max(all.most, one.most);
    all.largest = std::max(all.largest, one.largest);
  }
  return all;
}

static std::vector<double> measure(TwModel* model, int rounds) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (tw_run(model) != 0) fail(tw_error());
    samples.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Where this program lies: the model lies there, too.
static std::string own_folder(std::string const& program) {
  size_t slash = program.rfind('/');
  return slash == std::string::npos ? "." : program.substr(0, slash + 1);
}

int main(int argc, char** argv) {
  std::string folder = own_folder(argv[0]);
  int threads = 0, rounds = 20;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--folder")) folder = argv[i + 1];
    if (!std::strcmp(argv[i], "--threads")) threads = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--rounds")) rounds = std::max(1, std::atoi(argv[i + 1]));
  }
  if (tw_api_version() != TW_API_VERSION)
    fail("the runtime library is of another version than tilewright.h");
  TwModel* model = load_and_run(folder, threads);
  Difference difference = compare_all(model, folder);
  std::vector<double> samples = measure(model, rounds);
  std::printf(
      "%s on %d threads\nlargest_difference %.9g\nlargest_value %.9g\nleast_ms %.6f\nmedian_ms "
      "%.6f\n",
      tw_name(model), tw_threads(model), difference.most, difference.largest, samples.front(),
      samples[samples.size() / 2]);
  if (!difference.equal)
    fail("the outputs differ from the stored ones by up to " + std::to_string(difference.most) +
         ", where the largest value is " + std::to_string(difference.largest));
  std::printf("the outputs are the stored ones\n");
  tw_free(model);
  return 0;
}
