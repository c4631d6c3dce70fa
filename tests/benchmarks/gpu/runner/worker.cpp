#include "tests/benchmarks/gpu/runner/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "tests/benchmarks/gpu/runner/item.h"
#include "tests/benchmarks/gpu/runner/network.h"
#include "tests/benchmarks/gpu/runner/peers.h"
#include "tests/benchmarks/gpu/runner/probes.h"

namespace tw::gpu_bench {
namespace {

constexpr double kOpenSeconds = 60;

class Server {
public:
  Server(Lines lines, Pack const& pack, WorkerOptions const& options)
      : lines_(std::move(lines)), pack_(pack), options_(options) {}

  void run() {
    for (;;) {
      auto request = lines_.receive(1e6);
      if (!request) return;
      auto answer = answer_to(*request);
      Json line = answer ? std::move(*answer) : Json{{"why", answer.error().message}};
      // A context that has failed fails in all that follows.
      line["failed"] = device_ && !device_->finish();
      if (!lines_.send(line)) return;
    }
  }

private:
  Result<Json> answer_to(Json const& request) {
    if (request.contains("open")) return open();
    if (!device_) return environment_failed("device_failed", "the device is not open");
    if (request.contains("peers")) return open_peers(request["peers"]);
    if (request.contains("check")) return check(item(request["check"]));
    if (request.contains("time")) return time(item(request["time"]));
    if (request.contains("roofs")) {
      TRY_ASSIGN(Json list, measure_roofs(*device_, pack_, options_.timing, options_.most_bytes));
      return Json{{"list", std::move(list)}};
    }
    TRY_ASSIGN(Json list, measure_patterns(*device_, pack_));
    return Json{{"list", std::move(list)}};
  }

  Json const& item(Json const& number) const {
    return pack_.json.at("items").at(number.get<size_t>());
  }
  void doing(std::string const& what) const { (void)lines_.send({{"doing", what}}); }

  Result<Json> open() {
    TRY_ASSIGN(Device device, open_device(options_.driver));
    device_.emplace(std::move(device));
    return facts_of(*device_);
  }

  Result<std::unique_ptr<Peer>> open_peer(std::string const& name) {
    if (name == "cuBLAS") return open_cublas(*device_, options_.cublas);
    if (name == "cuDNN") return open_cudnn(*device_, options_.cudnn);
    return open_torch(options_.python, pack_.folder / "torch_peer.py");
  }
  Result<Json> open_peers(Json const& names) {
    Json made = Json::object();
    for (std::string name : names) {
      doing(name);
      auto peer = open_peer(name);
      if (!peer) {
        made[name] = {{"why", peer.error().message}};
        continue;
      }
      made[name] = {{"version", (*peer)->version()}};
      peers_.push_back(std::move(*peer));
    }
    return Json{{"peers", std::move(made)}};
  }

  Result<Json> check(Json const& item) {
    Json const& code = item.at("code").at(device_->architecture);
    TRY_ASSIGN(ItemTensors tensors, ItemTensors::create(*device_, pack_, item, code));
    TRY_ASSIGN(Kernel kernel, Kernel::load(*device_, pack_, code));
    TRY(kernel.run(tensors.places()));
    TRY(device_->finish());
    TRY(check_fault(*device_));
    TRY(check_all(pack_, item, tensors.outputs));
    return Json{{"ok", true}, {"form", kernel.form()}};
  }

  /// One kernel, or a network of them. `tensors` outlive it.
  Result<Arm> our_arm(Json const& item, Json const& code, ItemTensors const& tensors) {
    Arm arm{.name = "ours"};
    if (item.contains("parameters")) {
      TRY_ASSIGN(Network loaded, Network::load(*device_, pack_, item, code, tensors));
      auto network = std::make_shared<Network>(std::move(loaded));
      arm.facts["form"] = network->form();
      arm.run = [network] { return network->run(); };
      return arm;
    }
    TRY_ASSIGN(Kernel loaded, Kernel::load(*device_, pack_, code));
    auto kernel = std::make_shared<Kernel>(std::move(loaded));
    arm.facts["form"] = kernel->form();
    arm.run = [kernel, places = tensors.places()] { return kernel->run(places); };
    return arm;
  }

  Result<Json> time(Json const& item) {
    Json const& code = item.at("code").at(device_->architecture);
    Json result = {{"flops", item.at("flops")},
                   {"bytes", item.at("bytes")},
                   {"modelled", code.value("modelled", Json::object())},
                   {"resources", code.value("resources", Json::object())}};
    doing("our kernel");
    TRY_ASSIGN(ItemTensors tensors, ItemTensors::create(*device_, pack_, item, code));
    TRY_ASSIGN(Arm ours, our_arm(item, code, tensors));
    TRY(ours.run());
    TRY(device_->finish());
    TRY_ASSIGN(double error, check_samples(item, tensors.outputs[0]));
    ours.facts["error"] = error;
    std::vector<Arm> arms;
    arms.push_back(std::move(ours));
    TRY_ASSIGN(Memory output, Memory::create(*device_, tensors.outputs[0].size()));
    result["failures"] = add_peers(item, tensors, output, arms);
    doing("the rounds");
    TRY(time_arms(*device_, arms, options_.timing, 1, result));
    TRY(check_samples(item, tensors.outputs[0]));
    result["ok"] = true;
    return result;
  }

  /// Those that know the operator and are right. What the others say, by name.
  Json add_peers(Json const& item, ItemTensors const& tensors, Memory const& output,
                 std::vector<Arm>& arms) {
    Json failures = Json::object();
    for (auto const& peer : peers_) {
      doing(peer->name());
      auto arm = right_arm(*peer, item, tensors, output);
      if (!arm)
        failures[peer->name()] = arm.error().message;
      else if (*arm)
        arms.push_back(std::move(**arm));
    }
    return failures;
  }
  Result<std::optional<Arm>> right_arm(Peer& peer, Json const& item, ItemTensors const& tensors,
                                       Memory const& output) {
    TRY(output.fill(0xFF));
    TRY_ASSIGN(std::optional<Arm> arm, peer.arm(item.at("peer"), tensors, output));
    if (!arm || !peer.writes_output()) return arm;
    TRY(arm->run());
    TRY(device_->finish());
    auto error = check_samples(item, output);
    if (!error)
      return environment_failed("wrong_result",
                                "its result is another one: " + error.error().message);
    arm->facts["error"] = *error;
    return arm;
  }

  Lines lines_;
  Pack const& pack_;
  WorkerOptions const& options_;
  std::optional<Device> device_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

}  // namespace

void serve(Lines lines, Pack const& pack, WorkerOptions const& options) {
  Server(std::move(lines), pack, options).run();
}

Result<Json> Worker::start() {
  stop();
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
    return environment_failed("device_failed", "no pipe can be had");
  process_ = ::fork();
  if (process_ < 0) return environment_failed("device_failed", "no process can be had");
  if (process_ == 0) {
    ::setpgid(0, 0);
    ::close(to[1]);
    ::close(from[0]);
    serve(Lines(to[0], from[1]), pack_, options_);
    ::_exit(0);  // a driver's own ends may hang
  }
  ::close(to[0]);
  ::close(from[1]);
  lines_ = Lines(from[0], to[1]);
  TRY_ASSIGN(Json facts, ask({{"open", true}}, kOpenSeconds));
  if (facts.contains("why")) return environment_failed("no_such_hardware", facts.value("why", ""));
  return facts;
}

Result<Json> Worker::ask(Json const& request, double seconds) {
  doing_.clear();
  Status sent = lines_.send(request);
  for (;;) {
    auto line = sent ? lines_.receive(seconds) : Result<Json>(std::unexpected(sent.error()));
    if (line && line->contains("doing")) {
      doing_ = line->value("doing", "");
      continue;
    }
    if (line) return line;
    if (line.error().code != "program_timed_out") line.error().message = how_it_ended();
    if (!doing_.empty()) line.error().message += " (" + doing_ + ")";
    stop();
    return line;
  }
}

std::string Worker::how_it_ended() {
  int status = 0;
  if (process_ <= 0 || ::waitpid(process_, &status, 0) != process_) return "its process ended";
  process_ = -1;
  if (WIFSIGNALED(status))
    return fmt::format("its process ended by a signal: {}", ::strsignal(WTERMSIG(status)));
  return "its process ended";
}

/// A driver may keep a process that was killed, as long as its device hangs: it is not waited for.
void Worker::wait_for_end() const {
  using namespace std::chrono_literals;
  int status = 0;
  for (int i = 0; i < 500 && ::waitpid(process_, &status, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(10ms);
}

void Worker::stop() {
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    ::kill(process_, SIGKILL);
    wait_for_end();
  }
  process_ = -1;
  lines_ = Lines();
}

}  // namespace tw::gpu_bench
