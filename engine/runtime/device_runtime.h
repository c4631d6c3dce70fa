/// What runs kernels inside a device's process: memory, libraries, calls. One per kind of target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/hardware/machine_needs.h"
#include "engine/runtime/abi.h"
#include "engine/runtime/timed_by.h"
#include "engine/support/base/error.h"

namespace tw {

/// A place in a processor's memory: what `allocate` gave, which need not be an address of this
/// process, and bytes from its start. A default one is nothing.
struct MemoryPlace {
  void* memory = nullptr;
  int64_t offset = 0;
  MemoryPlace operator+(int64_t bytes) const { return {memory, offset + bytes}; }
};

/// A loaded library of kernels; goes away with the value. What its bytes are, and of how many
/// parts, is between `Backend::link` and the processor of that target (`library_parts.h` holds
/// several).
class KernelLibrary {
public:
  virtual ~KernelLibrary() = default;
  /// A handle for `DeviceRuntime::call`. Errors: symbol_not_found.
  virtual Result<void*> find(std::string const& symbol) = 0;
  /// A function of its part for a device, for `DeviceRuntime::launch`; lives as long as the
  /// library. Errors: no_device_functions (it has no such part, as by default), symbol_not_found.
  virtual Result<TwFunction> device_function(std::string const& name);
};

/// Calls that a processor keeps, to start them together the next time; gone with the value.
class CallSequence {
public:
  virtual ~CallSequence() = default;
};

/// Who has no streams, events or functions beside its kernels leaves the methods for them as they
/// are here: everything is done in one order, and an event is when the host saw that.
class DeviceRuntime {
public:
  virtual ~DeviceRuntime() = default;

  /// Whether code that needs such a machine runs here. Errors: wrong_processor with what is
  /// missing.
  virtual Status can_run(MachineNeeds const& needs) const = 0;

  /// Memory that starts at a multiple of 64 and is zero. Errors: tensor_too_large.
  virtual Result<void*> allocate(int64_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// These three are ordered with calls: what was called before is done before.
  virtual void write(MemoryPlace to, std::span<std::byte const> from) = 0;
  virtual void read(std::span<std::byte> to, MemoryPlace from) = 0;
  /// Source and target may overlap.
  virtual void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) = 0;
  /// What loads and stores of this process reach there; null: its memory is its own.
  virtual void* host_address(MemoryPlace place) const = 0;

  virtual Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) = 0;

  /// Makes ready for calls with `threads` threads (at least 1); cheap when unchanged.
  virtual void use_threads(int threads) = 0;
  /// The core that whoever calls should stay on meanwhile; -1: any.
  virtual int caller_core() const { return -1; }
  /// Runs a kernel with its inputs, outputs and workspace (a default place where it asks for none),
  /// or has it run after the calls before it; its return code, where it has one already.
  virtual int32_t call(void* kernel, std::span<MemoryPlace const> buffers) = 0;
  /// The calls until `end_sequence`, and nothing else in between, will come again, with the same
  /// kernels and buffers: a processor that can keeps them. Null: they have to be made again.
  virtual void begin_sequence() {}
  virtual std::unique_ptr<CallSequence> end_sequence() { return nullptr; }
  /// In the place of these calls, of which it returns the first code that is not 0.
  virtual int32_t start(CallSequence&) { return 0; }
  /// Until all that was called is done; the first return code that was not 0 and that no `call`
  /// gave. A processor that is done when `call` returns has nothing to wait for.
  virtual int32_t wait() { return 0; }
  /// `wait`, with what a code means. Errors: those of `take_failure`, division_by_zero,
  /// no_device_functions, kernel_failed.
  Status finish();

  /// Why a `call` or `wait` gave a code, or what went wrong with memory, in a sentence; asked once.
  virtual std::optional<Error> take_failure() { return std::nullopt; }
  /// Seconds that the calls since the last question took by the processor's own clock: of one that
  /// is simulated, where the wall's says how fast the simulator is. The same calls take the same
  /// again. None: it has no other clock than the wall's.
  virtual std::optional<double> own_seconds() { return std::nullopt; }

  /// An order beside that of calls and of accesses to memory, which is the null stream's: what one
  /// stream is given is not ordered with what another is. Null where everything has one order.
  /// Errors: those of the device.
  virtual Result<TwStream> create_stream() { return nullptr; }
  /// After all that it was given.
  virtual void destroy(TwStream) {}
  /// Until the stream has done what it was given. Errors: those of `finish`.
  virtual Status synchronize(TwStream) { return finish(); }

  /// A moment in a stream. Errors: those of the device.
  virtual Result<TwEvent> create_event();
  virtual void destroy(TwEvent event);
  /// The event is when the stream has done what it was given so far. Errors: those of `finish`.
  virtual Status record(TwEvent event, TwStream stream);
  /// What the stream is given from now on begins after the event as it was recorded last.
  virtual Status wait_event(TwStream, TwEvent) { return {}; }
  /// Seconds between two recorded events, when both have been. Errors: event_not_recorded, those of
  /// `finish`.
  virtual Result<double> elapsed(TwEvent from, TwEvent to);
  /// Whose clock the events are read from.
  virtual TimedBy events_timed_by() const { return TimedBy::kHost; }

  /// Has the stream run a function of a library after what it was given before. The default stream
  /// is null. Errors: no_device_functions (as by default), bad_launch.
  virtual Status launch(TwFunction function, TwLaunch const& how, TwStream stream);
};

}  // namespace tw
