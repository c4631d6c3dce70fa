// Checks and times the kernels of a pack on this machine's GPU, within a time that is given, and
// writes what it has found after each step.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "tests/benchmarks/gpu/runner/worker.h"

namespace tw::gpu_bench {
namespace {

struct Options {
  std::filesystem::path pack = ".", out = "results.json";
  double seconds = 480;                     ///< of it all
  double limit = 5;                         ///< of a kernel
  std::vector<std::string> parts, kernels;  ///< empty: all
  std::string note;                         ///< what whoever starts it knows of the machine
  WorkerOptions worker;
};

/// Of the whole time, when a part ends at the latest, so that none takes the next one's.
constexpr double kChecksEnd = 0.35, kProbesEnd = 0.5, kTimesEnd = 0.97;
/// A peer is slower to open than a kernel is to run, and tries several algorithms.
constexpr double kPeersSeconds = 180, kPeerLimits = 3;
constexpr int kNoDevice = 3;

class Run {
public:
  Run(Options const& options, Pack const& pack)
      : options_(options), pack_(pack), worker_(pack, options.worker) {
    results_ = {{"version", 1},
                {"generator", pack.json.value("generator", "")},
                {"seconds_limit", options.seconds},
                {"rounds", options.worker.timing.rounds},
                {"note", options.note},
                {"checks", Json::array()},
                {"roofs", Json::array()},
                {"patterns", Json::array()},
                {"times", Json::array()},
                {"finished", false}};
  }

  int all() {
    auto facts = worker_.start();
    if (!facts) {
      results_["why"] = facts.error().message;
      fmt::print("{}\n", facts.error().message);
      return write() ? kNoDevice : 1;
    }
    facts->erase("failed");
    results_["device"] = *facts;
    write();
    fmt::print("{}\n", facts->value("name", ""));
    if (chosen(options_.parts, "checks"))
      items("checks", "check", kChecksEnd * options_.seconds, options_.limit);
    if (chosen(options_.parts, "roofs")) probe("roofs", 6 * options_.limit);
    if (chosen(options_.parts, "patterns")) probe("patterns", 3 * options_.limit);
    if (chosen(options_.parts, "times")) times();
    results_["finished"] = true;
    if (!write()) return 1;
    fmt::print("{} wrong or failed, {} left out, {:.0f} s, {}\n", wrong_, left_out_, passed(),
               options_.out.string());
    return wrong_ == 0 ? 0 : 1;
  }

private:
  double passed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  /// Written elsewhere and renamed: a kill leaves the last whole one.
  bool write() {
    results_["seconds"] = passed();
    std::filesystem::path draft = options_.out;
    draft += ".draft";
    std::ofstream(draft) << results_.dump(1) << "\n";
    std::error_code code;
    std::filesystem::rename(draft, options_.out, code);
    if (code) fmt::print(stderr, "'{}' cannot be written\n", options_.out.string());
    return !code;
  }

  void add(char const* part, Json line) {
    if (!line.value("ok", true)) {
      ++wrong_;
      fmt::print("{}: {}: {}\n", part, line.value("name", ""), line.value("why", ""));
    }
    line.erase("failed");
    results_[part].push_back(std::move(line));
    write();
  }

  /// Errors: those of the device, which is opened anew after a failure.
  Status ready() {
    if (worker_.runs()) return {};
    TRY(worker_.start());
    if (peers_.empty()) return {};
    return open_peers();
  }
  Status open_peers() {
    TRY_ASSIGN(Json found, worker_.ask({{"peers", peers_}}, kPeersSeconds));
    for (auto const& [name, facts] : found["peers"].items()) results_["peers"][name] = facts;
    return {};
  }

  Result<Json> asked(Json const& request, double limit) {
    TRY(ready());
    auto answer = worker_.ask(request, limit);
    if (answer && answer->value("failed", false)) worker_.stop();
    return answer;
  }

  static bool chosen(std::vector<std::string> const& list, std::string const& name) {
    return list.empty() || std::ranges::find(list, name) != list.end();
  }

  void items(char const* part, char const* word, double end, double limit) {
    Json const& list = pack_.json["items"];
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].value("part", "") != part) continue;
      std::string name = list[i].value("name", "");
      if (!chosen(options_.kernels, name)) continue;
      if (passed() > end) {
        ++left_out_;
        add(part, {{"name", name}, {"left_out", "the time was up"}});
        continue;
      }
      add(part, one(name, {{word, i}}, limit));
    }
  }

  /// A peer that hangs or ends the process is left out from then on, and the kernel is tried again.
  Json one(std::string const& name, Json const& request, double limit) {
    for (;;) {
      auto answer = asked(request, limit);
      if (answer && !answer->contains("why")) {
        (*answer)["name"] = name;
        return *answer;
      }
      std::string why = answer ? answer->value("why", "") : answer.error().message;
      auto peer = std::ranges::find(peers_, worker_.last_doing());
      if (answer || peer == peers_.end()) return failed(name, why);
      results_["peers"][*peer]["why"] = fmt::format("left out from {} on: {}", name, why);
      peers_.erase(peer);
    }
  }

  void probe(char const* part, double limit) {
    if (passed() > kProbesEnd * options_.seconds) {
      ++left_out_;
      results_[part] = Json::array({{{"left_out", "the time was up"}}});
      return;
    }
    Json made = one(part, {{part, true}}, limit);
    if (made.contains("list"))
      results_[part] = std::move(made["list"]);
    else
      add(part, std::move(made));
    write();
  }

  void times() {
    peers_ = {"cuBLAS", "cuDNN", "PyTorch"};
    results_["peers"] = Json::object();
    for (;;) {
      Status opened = worker_.runs() ? open_peers() : ready();
      auto hung = std::ranges::find(peers_, worker_.last_doing());
      if (opened || hung == peers_.end()) break;
      results_["peers"][*hung]["why"] = opened.error().message;
      peers_.erase(hung);
    }
    // What is not there is not looked for again.
    std::erase_if(peers_, [&](std::string const& name) {
      return !results_["peers"].contains(name) || results_["peers"][name].contains("why");
    });
    for (auto const& [name, facts] : results_["peers"].items())
      fmt::print("{}: {}\n", name, facts.value("why", facts.value("version", "")));
    items("times", "time", kTimesEnd * options_.seconds,
          options_.limit * (peers_.empty() ? 1 : kPeerLimits));
  }

  Options const& options_;
  Pack const& pack_;
  Worker worker_;
  Json results_;
  std::vector<std::string> peers_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int wrong_ = 0, left_out_ = 0;
};

}  // namespace
}  // namespace tw::gpu_bench

int main(int argc, char** argv) {
  CLI::App app("Checks and times the kernels of a pack on this machine's GPU");
  tw::gpu_bench::Options options;
  app.add_option("--pack", options.pack, "its folder");
  app.add_option("--out", options.out, "the file of results");
  app.add_option("--seconds", options.seconds, "for all of it; what does not fit is left out");
  app.add_option("--limit", options.limit, "seconds for a kernel");
  app.add_option("--part", options.parts, "only these: checks, roofs, patterns, times");
  app.add_option("--kernel", options.kernels, "only these");
  app.add_option("--note", options.note, "what is known of the machine, kept with the results");
  app.add_option("--rounds", options.worker.timing.rounds, "in turns with the peers");
  app.add_option("--least-sample", options.worker.timing.least_seconds, "seconds of a sample");
  app.add_option("--most-bytes", options.worker.most_bytes, "of a tensor of the probes");
  app.add_option("--driver", options.worker.driver, "a file instead of libcuda.so.1");
  app.add_option("--cublas", options.worker.cublas, "likewise");
  app.add_option("--cudnn", options.worker.cudnn, "likewise");
  app.add_option("--python", options.worker.python, "a Python that may have PyTorch");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto pack = tw::gpu_bench::Pack::open(options.pack);
  if (!pack) {
    fmt::print(stderr, "{}\n", tw::to_sentence(pack.error()));
    return 2;
  }
  return tw::gpu_bench::Run(options, *pack).all();
}
