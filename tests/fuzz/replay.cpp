// Runs a fuzz target without libFuzzer: every file of its corpus, then seeded damage to them. An
// input that crashes, takes over ten seconds of processor time or asks for more than two GiB ends
// the program, and its bytes are left in `crash-READER`.
//   fuzz_READER CORPUS_FOLDER MUTATIONS [SEED]
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/target.h"
#include "tests/support/mutate.h"

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 16384;

std::string input;       // the one that runs, for the signal handler
std::string crash_file;  // where it is left
std::atomic<long> round_number = -1;

/// Only calls that are safe in a signal handler, but for the numbers' text.
void leave_input(int signal) {
  char line[160];
  int length =
      std::snprintf(line, sizeof line, "signal %d at mutation %ld (-1: a corpus file); %s\n",
                    signal, round_number.load(), "the input is in the file named crash-*");
  (void)!write(2, line, size_t(length));
  int file = open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  (void)!write(file, input.data(), input.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void set_limits() {
  static char other_stack[64 << 10];  // the usual one may be what is exhausted
  stack_t stack{};
  stack.ss_sp = other_stack;
  stack.ss_size = sizeof other_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = leave_input;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF})
    sigaction(signal, &action, nullptr);
#ifndef __SANITIZE_ADDRESS__  // its shadow memory is larger than any limit
  rlimit memory{2ul << 30, 2ul << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
}

void run(std::string bytes) {
  input = std::move(bytes);
  itimerval limit{{0, 0}, {10, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  LLVMFuzzerTestOneInput(reinterpret_cast<uint8_t const*>(input.data()), input.size());
}

std::vector<std::string> read_corpus(fs::path const& folder) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> corpus;
  for (fs::path const& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return corpus;
}

/// A place in a text: a word, a number or a single byte, whichever is there; a whole line when
/// asked.
std::pair<size_t, size_t> piece(std::string const& text, bool line, tw::Rng& rng) {
  auto inside = [&](size_t i) {
    auto c = static_cast<unsigned char>(text[i]);
    return line ? c != '\n' : std::isalnum(c) || c == '_';
  };
  auto from = size_t(rng.below(int64_t(text.size()))), to = from + 1;
  if (!inside(from)) return {from, 1};
  while (from > 0 && inside(from - 1)) --from;
  while (to < text.size() && inside(to)) ++to;
  return {from, to - from};
}

/// A piece of one file put in the place of a piece of another: mostly still of the right form.
std::string recombined(std::string text, std::string const& other, tw::Rng& rng) {
  for (int64_t edits = rng.between(1, 3); edits > 0 && !text.empty() && !other.empty(); --edits) {
    bool line = rng.below(4) == 0;
    auto [to, length] = piece(text, line, rng);
    auto [from, count] = piece(other, line, rng);
    if (line && rng.below(2))
      text.insert(to, other.substr(from, count) + "\n");
    else
      text.replace(to, length, other.substr(from, count));
  }
  return text;
}

std::string damaged(std::vector<std::string> const& corpus, tw::Rng& rng) {
  auto pick = [&]() -> std::string const& {
    return corpus[size_t(rng.below(int64_t(corpus.size())))];
  };
  std::string text = pick();
  switch (rng.below(3)) {
    case 0:
      text = tw::testing::mutate(text, rng);
      break;
    case 1:
      text = recombined(text, rng.below(2) ? text : pick(), rng);
      break;
    default:  // lengths stay: binary records go on to parse
      for (int64_t edits = rng.between(1, 4); edits > 0 && !text.empty(); --edits)
        text[size_t(rng.below(int64_t(text.size())))] =
            char(rng.below(4) ? rng.below(32) : rng.next());
  }
  if (text.size() > kMostBytes) text.resize(kMostBytes);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER MUTATIONS [SEED]\n", argv[0]);
    return 2;
  }
  std::vector<std::string> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "there is no file in %s\n", argv[1]);
    return 2;
  }
  long mutations = std::strtol(argv[2], nullptr, 10);
  uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 20260101;
  crash_file = "crash-" + fs::path(argv[1]).filename().string();
  std::printf("%zu files, %ld mutations, seed %llu\n", corpus.size(), mutations,
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  set_limits();
  for (std::string const& bytes : corpus) run(bytes);
  long read = tw::fuzz::accepted;
  tw::Rng rng(seed);
  for (round_number = 0; round_number < mutations; ++round_number) run(damaged(corpus, rng));
  std::printf("accepted: %ld of the corpus, %ld of its mutations\n", read,
              long(tw::fuzz::accepted) - read);
  return read > 0 ? 0 : 1;
}
