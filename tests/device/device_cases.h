// The device as a client uses it, wherever it is: runs, measurements, and every way in which it can
// be lost.
#pragma once

#include <signal.h>

#include <QtTest>
#include <thread>

#include "engine/device/requests/status.h"
#include "tests/device/network_bench.h"

namespace tw::test {

using namespace std::chrono_literals;

/// What every device does; a test program says which device.
class DeviceCases : public QObject {
  Q_OBJECT
protected:
  virtual std::unique_ptr<WireDevice> make_device() = 0;
  /// The process that runs this device's kernels.
  virtual pid_t worker(WireDevice& device) = 0;

private slots:
  void a_kernel_runs_on_the_tensors_it_is_given() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
    NDArray sum = get_tensor(bench.device, bench.c, DType::kF32, {1024}, bench.options).value();
    for (int64_t i = 0; i < 1024; ++i) QCOMPARE(sum.value_at(i), 1.5 * double(i));
  }

  void a_parallel_kernel_runs_with_any_number_of_threads() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    for (int threads : {1, 2, 3, 7, 1}) {
      QVERIFY(bench.device.write(bench.c, 0, std::vector<std::byte>(4096), bench.options));
      QVERIFY(bench.run(bench.step("scale", {bench.a, bench.c}), threads));
      NDArray twice = get_tensor(bench.device, bench.c, DType::kF32, {1024}, bench.options).value();
      for (int64_t i = 0; i < 1024; ++i) QCOMPARE(twice.value_at(i), 2.0 * double(i));
    }
  }

  void a_view_starts_where_its_offset_says() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    TensorHandle arena = bench.device.allocate(3 * 4096, bench.options).value();
    DeviceStep step = bench.step("add", {bench.a, bench.b});
    step.buffers.push_back({arena, 4096});
    QVERIFY(bench.run(step));
    NDArray all = get_tensor(bench.device, arena, DType::kF32, {3072}, bench.options).value();
    QCOMPARE(all.value_at(1023), 0.0);
    QCOMPARE(all.value_at(1024 + 1000), 1500.0);
    QCOMPARE(all.value_at(2048), 0.0);
    step.buffers.back().offset = 3 * 4096 + 1;
    QCOMPARE(code_of(bench.run(step)), QString("out_of_tensor"));
  }

  void the_workspace_comes_last_and_is_null_where_there_is_none() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    DeviceStep step = bench.step("workspace", {});
    QVERIFY(bench.run(step));
    step.workspace = {bench.c};
    QCOMPARE(code_of(bench.run(step)), QString("kernel_failed"));
  }

  void a_candidate_is_judged_and_timed_in_one_call() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    static auto const library = test::build_library(test::common_kernels()).value();
    TensorHandle low = put_tensor(bench.device, ramp(1024, 1.5f), bench.options).value();
    TensorHandle high = put_tensor(bench.device, ramp(1024, 1.6f), bench.options).value();
    LimitedOutput output{{bench.c}, DType::kF32, 1024, {low}, {high}};
    DeviceStep step = bench.step("add", {bench.a, bench.b, bench.c});
    TimingOptions timing_options{.warm_up = 0, .repeats = 4};
    auto attempt = [&] {
      return bench.device.attempt(library, step, std::span(&output, 1), 1, timing_options,
                                  bench.options);
    };
    auto code = [&] {
      auto answer = attempt();
      return answer ? QString("none") : QString::fromStdString(answer.error().code);
    };
    DeviceHolding before = ask_status(bench.device, bench.options).value().holding;
    TrialAnswer right = attempt().value();
    QCOMPARE(right.wrong_output, -1);
    QCOMPARE(right.samples.seconds.size(), size_t(4));
    QVERIFY(right.samples.least() > 0 && right.samples.least() < 1e-3);
    // What is clearly slower than what is known gets one sample.
    timing_options.incumbent_seconds = 1e-12;
    QCOMPARE(attempt().value().samples.seconds.size(), size_t(1));
    // Twice a instead: 3.0 * i is beyond 1.6 * i from the second element on.
    step = bench.step("scale", {bench.a, bench.c});
    TrialAnswer wrong = attempt().value();
    QCOMPARE(wrong.wrong_output, 0);
    QCOMPARE(wrong.wrong_element, int64_t(1));
    QVERIFY(wrong.samples.seconds.empty());
    // What is not written is seen.
    step = bench.step("workspace", {});
    QCOMPARE(attempt().value().wrong_element, int64_t(0));
    step = bench.step("missing", {});
    QCOMPARE(code(), QString("symbol_not_found"));
    step = bench.step("add", {bench.a, bench.b, bench.c});
    output.elements = 1025;
    QCOMPARE(code(), QString("out_of_tensor"));
    output.elements = -1;
    QCOMPARE(code(), QString("bad_output"));
    output = {{bench.c, INT64_MAX}, DType::kF32, 1024, {low}, {high}};
    QCOMPARE(code(), QString("bad_output"));
    // Nothing stays there, whatever happened.
    QCOMPARE(ask_status(bench.device, bench.options).value().holding, before);
  }

  void a_list_of_steps_is_timed_each_and_together() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    std::vector<DeviceStep> steps = {bench.step("add", {bench.a, bench.b, bench.c}),
                                     bench.step("scale", {bench.c, bench.b})};
    TimingOptions timing_options{.warm_up = 2, .repeats = 6};
    Timing timing = bench.device.time(steps, 1, timing_options, bench.options).value();
    QCOMPARE(timing.steps.size(), size_t(2));
    QCOMPARE(timing.total.seconds.size(), size_t(6));
    QCOMPARE(timing.speed.size(), size_t(6));
    QVERIFY(timing.by == TimedBy::kHost && timing.runs_per_sample > 1);  // short work is repeated
    QVERIFY(timing.total.least() > 0 && timing.total.least() < 1e-3);
    for (size_t i = 0; i < 6; ++i) {
      double parts = timing.steps[0].seconds[i] + timing.steps[1].seconds[i];
      QVERIFY(parts <= timing.total.seconds[i] * 1.001);
    }
    QVERIFY(bench.device.time({}, 1, timing_options, bench.options).error().code ==
            "nothing_to_time");
  }

  void a_large_tensor_comes_back_as_it_was_sent() {
    Bench bench(make_device());
    NDArray large = ramp(5'000'000, 0.25f);  // 20 MB: more than one message holds
    TensorHandle handle = put_tensor(bench.device, large, bench.options).value();
    NDArray back =
        get_tensor(bench.device, handle, DType::kF32, {5'000'000}, bench.options).value();
    QCOMPARE(back.hash(), large.hash());
  }

  void a_tensor_larger_than_the_memory_is_refused_and_the_device_lives_on() {
    Bench bench(make_device());
    for (int64_t bytes : {int64_t(1) << 62, int64_t(-1), INT64_MAX}) {
      auto refused = bench.device.allocate(bytes, bench.options);
      QCOMPARE(QString::fromStdString(refused.error().code), QString("tensor_too_large"));
    }
    QVERIFY(bench.device.allocate(64, bench.options));
    QCOMPARE(bench.device.generation(), uint64_t(1));
  }

  void a_crash_names_the_kernel_and_the_address_and_the_next_call_works() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    Status crashed = bench.run(bench.step("crash", {}));
    QCOMPARE(code_of(crashed), QString("kernel_crashed"));
    QCOMPARE(QString::fromStdString(crashed.error().message),
             QString("the kernel 'crash' crashed (segmentation fault at address 0x10)"));
    QCOMPARE(code_of(bench.run(bench.step("add", {bench.a, bench.b, bench.c}))),
             QString("device_restarted"));
    QVERIFY(bench.prepare());
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
    QCOMPARE(bench.device.generation(), uint64_t(2));
  }

  void threads_that_crash_together_are_told_as_one_crash() {
    Bench bench(make_device());
    for (int round = 0; round < 20; ++round) {
      QVERIFY(bench.prepare());
      Status crashed = bench.run(bench.step("crash_in_task", {}), 3);
      QCOMPARE(code_of(crashed), QString("kernel_crashed"));
      QVERIFY(crashed.error().message.starts_with(
          "the kernel 'crash_in_task' crashed (segmentation fault at address 0x100"));
    }
  }

  void a_kernel_that_overflows_its_stack_is_told_too() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    Status crashed = bench.run(bench.step("overflow", {}));
    QCOMPARE(code_of(crashed), QString("kernel_crashed"));
    QVERIFY(crashed.error().message.find("(segmentation fault") != std::string::npos);
  }

  void a_division_by_zero_names_the_step_that_did_it() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    std::vector<DeviceStep> steps = {bench.step("add", {bench.a, bench.b, bench.b}),
                                     bench.step("divide", {bench.c})};
    Status crashed = bench.device.run(steps, 1, bench.options);
    QCOMPARE(code_of(crashed), QString("division_by_zero"));
    QCOMPARE(QString::fromStdString(crashed.error().message),
             QString("the kernel 'divide' divided an integer by zero"));
  }

  void a_kernel_that_never_ends_is_stopped_at_the_time_out() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    bench.options.timeout = 200ms;
    Status hung = bench.run(bench.step("hang", {bench.a}));
    QCOMPARE(code_of(hung), QString("kernel_timed_out"));
    QVERIFY(hung.error().message.starts_with(  // a remote one says how to allow more
        "the kernel 'hang' did not finish within 0.2 s and was stopped"));
    bench.options.timeout = 30s;
    QVERIFY(bench.prepare());
  }

  void a_stop_ends_a_running_kernel_at_once() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    std::stop_source source;
    bench.options.stop = source.get_token();
    std::jthread stopper([&] {
      std::this_thread::sleep_for(100ms);
      source.request_stop();
    });
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(code_of(bench.run(bench.step("hang", {bench.a}))), QString("cancelled"));
    QVERIFY(clock.elapsed() < 5000);
    QCOMPARE(code_of(bench.run(bench.step("add", {}))), QString("cancelled"));  // still stopped
    bench.options.stop = {};
    QVERIFY(bench.prepare());
  }

  void a_stop_between_samples_costs_no_tensor() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    std::stop_source source;
    bench.options.stop = source.get_token();
    std::jthread stopper([&] {
      std::this_thread::sleep_for(50ms);
      source.request_stop();
    });
    DeviceStep add = bench.step("add", {bench.a, bench.b, bench.c});
    TimingOptions timing_options{.repeats = 1 << 20, .min_sample_seconds = 1e-3};
    auto stopped = bench.device.time(std::span(&add, 1), 1, timing_options, bench.options);
    QVERIFY(!stopped && stopped.error().code == "cancelled");
    bench.options.stop = {};
    for (int i = 0; i < 3; ++i) QVERIFY(bench.run(add));
    QCOMPARE(bench.device.generation(), uint64_t(1));
  }

  void stops_at_any_moment_leave_a_device_that_answers() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    for (int i = 0; i < 60; ++i) {
      std::stop_source source;
      CallOptions options{.stop = source.get_token()};
      std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(i * 17));
        source.request_stop();
      });
      DeviceStep add = bench.step("add", {bench.a, bench.b, bench.c});
      Status ran = bench.device.run(std::vector<DeviceStep>(50, add), 1, options);
      QVERIFY(ran || ran.error().code == "cancelled");
    }
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
    QCOMPARE(bench.device.generation(), uint64_t(1));
  }

  void a_stop_ends_the_wait_for_another_threads_kernel() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    std::stop_source first, second;
    CallOptions waiting{.stop = second.get_token()};
    DeviceStep hang = bench.step("hang", {bench.a});
    std::jthread runner([&, options = CallOptions{.stop = first.get_token()}] {
      (void)bench.device.run(std::span(&hang, 1), 1, options);
    });
    std::this_thread::sleep_for(50ms);
    std::jthread stopper([&] {
      std::this_thread::sleep_for(50ms);
      second.request_stop();
    });
    QVERIFY(bench.device.describe(waiting).error().code == "cancelled");
    first.request_stop();
  }

  void a_killed_child_is_said_and_replaced() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    pid_t child = worker(bench.device);
    DeviceStep hang = bench.step("hang", {bench.a});
    std::jthread killer([&] {
      std::this_thread::sleep_for(100ms);
      kill(child, SIGKILL);
    });
    Status lost = bench.run(hang);
    QCOMPARE(code_of(lost), QString("device_lost"));
    QCOMPARE(QString::fromStdString(lost.error().message),
             QString("the device process was ended by a kill signal"));
    QVERIFY(bench.prepare());
    QVERIFY(worker(bench.device) != child);
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
  }

  void a_child_killed_while_idle_costs_only_its_tensors() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    kill(worker(bench.device), SIGKILL);
    QTest::qWait(100);
    QCOMPARE(code_of(bench.run(bench.step("add", {bench.a, bench.b, bench.c}))),
             QString("device_restarted"));
    QVERIFY(bench.device.free(bench.a));
    QVERIFY(bench.prepare());
  }

  void wrong_requests_are_sentences() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    QCOMPARE(code_of(bench.run(bench.step("nothing", {}))), QString("symbol_not_found"));
    Status refused = bench.run(bench.step("refuse", {}));
    QVERIFY(!refused && refused.error().message == "the kernel 'refuse' stopped with code 7");
    DeviceStep refuse = bench.step("refuse", {});
    auto timed = bench.device.time(std::span(&refuse, 1), 1, {}, bench.options);
    QVERIFY(!timed && timed.error() == refused.error());
    QCOMPARE(code_of(bench.run(bench.step("add", {}), 0)), QString("bad_thread_count"));
    QCOMPARE(code_of(bench.run(bench.step("add", {}), 1 << 20)), QString("bad_thread_count"));
    QVERIFY(bench.device.free(bench.library));
    QCOMPARE(code_of(bench.run(bench.step("add", {}))), QString("unknown_library"));
    std::vector<std::byte> junk(1000, std::byte{7});
    QVERIFY(bench.device.load(junk, bench.options).error().code == "module_not_loadable");
    QVERIFY(bench.device.free(bench.c));
    QCOMPARE(code_of(bench.device.write(bench.c, 0, junk, bench.options)),
             QString("unknown_tensor"));
    QCOMPARE(code_of(bench.device.write(bench.a, 4000, junk, bench.options)),
             QString("out_of_tensor"));
    QCOMPARE(bench.device.generation(), uint64_t(1));
  }

  void a_small_call_takes_well_under_a_millisecond() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    DeviceStep add = bench.step("add", {bench.a, bench.b, bench.c});
    qint64 least = INT64_MAX;
    for (int i = 0; i < 50; ++i) {
      QElapsedTimer clock;
      clock.start();
      QVERIFY(bench.run(add));
      least = std::min(least, clock.nsecsElapsed());
    }
    qInfo("%.1f us for a call there and back", double(least) / 1000);
    QVERIFY(least < 1'000'000);
  }

  void a_network_branches_and_loops_on_the_device() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    NetworkBench network(bench);
    QVERIFY(network.load(choice_network()));
    QVERIFY(bench.device.free(bench.library));  // the network keeps what it needs
    QCOMPARE(network.run(true, 3).value(), 1.5 * 1023);
    QCOMPARE(network.run(false, 3).value(), 8.0 * 1023);
    QCOMPARE(network.run(false, 0).value(), 1.0 * 1023);
    Timing timing =
        bench.device.time(std::span(&network.step, 1), 1, {.repeats = 4}, bench.options).value();
    QVERIFY(timing.steps.size() == 1 && timing.total.seconds.size() == 4);
    QVERIFY(bench.device.free(network.step.library));
    QCOMPARE(code_of(bench.run(network.step)), QString("unknown_library"));
  }

  void what_goes_wrong_inside_of_a_network_names_the_kernel() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    NetworkBench network(bench);
    QVERIFY(network.load(choice_network("refuse")));
    QCOMPARE(network.run(true, 0).error().message,
             std::string("the kernel 'refuse' stopped with code 7"));
    auto timed = bench.device.time(std::span(&network.step, 1), 1, {}, bench.options);
    QVERIFY(!timed && timed.error().message == "the kernel 'refuse' stopped with code 7");
    QCOMPARE(network.run(false, 1).value(), 2.0 * 1023);  // the other way has it not
    QVERIFY(network.load(choice_network("crash")));
    QCOMPARE(network.run(true, 0).error().message,
             std::string("the kernel 'crash' crashed (segmentation fault at address 0x10)"));
    QVERIFY(bench.prepare());
    QVERIFY(network.load(choice_network("nothing")));
    QCOMPARE(network.run(false, 0).error().code, std::string("symbol_not_found"));
  }

  void a_stop_ends_a_network_between_two_kernels() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    NetworkBench network(bench);
    QVERIFY(network.load(choice_network()) && network.set(false, 1'000'000));
    std::stop_source source;
    bench.options.stop = source.get_token();
    std::jthread stopper([&] {
      std::this_thread::sleep_for(20ms);
      source.request_stop();
    });
    QCOMPARE(code_of(bench.run(network.step)), QString("cancelled"));
    bench.options.stop = {};
    QCOMPARE(network.run(false, 2).value(), 4.0 * 1023);
    QCOMPARE(bench.device.generation(), uint64_t(1));  // it answered: no tensor was lost
  }

  void networks_that_do_not_fit_are_refused_before_they_run() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    NetworkBench network(bench);
    auto load = [&](std::string const& text) {
      auto loaded = bench.device.load_network(bench.library, text, bench.options);
      return loaded ? std::string("loaded") : loaded.error().code;
    };
    QCOMPARE(load("{}"), std::string("bad_package"));
    package::Description beyond = choice_network();
    beyond.arena_bytes = 4096;  // the loop writes behind it
    QCOMPARE(load(package::to_text(beyond)), std::string("bad_package"));
    QVERIFY(network.load(choice_network()));
    DeviceStep step = network.step;
    step.buffers.pop_back();
    QCOMPARE(code_of(bench.run(step)), QString("wrong_buffers"));
    for (size_t small = 2; small < network.step.buffers.size(); ++small) {
      step = network.step;
      step.buffers[small] = {network.choice};
      QCOMPARE(code_of(bench.run(step)), QString("out_of_tensor"));
      step.buffers[small] = {};
      QCOMPARE(code_of(bench.run(step)), QString("unknown_tensor"));
    }
    QVERIFY(bench.device.free(bench.library));
    QCOMPARE(load(package::to_text(choice_network())), std::string("unknown_library"));
  }

  void several_threads_may_use_a_device() {
    Bench bench(make_device());
    QVERIFY(bench.prepare());
    std::atomic<int> failures{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
          for (int i = 0; i < 50; ++i) {
            if (!bench.run(bench.step("scale", {bench.a, bench.c}), 1 + i % 2)) ++failures;
          }
        });
      }
    }
    QCOMPARE(failures.load(), 0);
  }

  void the_child_ends_with_its_client() {
    pid_t child = -1;
    {
      Bench bench(make_device());
      QVERIFY(bench.prepare());
      child = worker(bench.device);
      QCOMPARE(kill(child, 0), 0);
    }
    QCOMPARE(kill(child, 0), -1);
  }
};

}  // namespace tw::test
