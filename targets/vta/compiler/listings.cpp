#include "targets/vta/compiler/listings.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/vta/hardware/assembly.h"

namespace tw::vta {
namespace {

constexpr uint64_t kPage = 4096;

uint64_t pages(int64_t bytes) { return (uint64_t(bytes) + kPage - 1) / kPage * kPage; }

}  // namespace

Addresses sample_addresses(CallProgram const& program) {
  Addresses addresses;
  uint64_t next = kPage;  // address 0 is nothing
  for (CallTensor const& tensor : program.tensors) {
    addresses.tensors.push_back(next);
    next += pages(tensor.bytes);
  }
  addresses.uops = next;
  return addresses;
}

int64_t sample_memory(CallProgram const& program, int64_t uops) {
  return int64_t(sample_addresses(program).uops) + uops * program.configuration.uop_bytes();
}

CodeListing calls_listing(CallProgram const& program, std::string key) {
  CodeListing listing{std::move(key), to_text(program), {}};
  // Calls stand last, a line each.
  size_t lines = size_t(std::ranges::count(listing.text, '\n'));
  listing.source_line.resize(lines);
  for (size_t i = 0; i < program.calls.size() && i < lines; ++i)
    listing.source_line[lines - program.calls.size() + i] = program.calls[i].line;
  return listing;
}

Result<CodeListing> instructions_listing(CallProgram const& program, std::string key) {
  TRY_ASSIGN(std::vector<Batch> batches, make_batches(program, sample_addresses(program)));
  CodeListing listing{std::move(key), {}, {}};
  for (Batch const& batch : batches)
    for (size_t i = 0; i < batch.stream.size(); ++i) {
      listing.text += fmt::format("{:>5}  {}\n", i, to_line(batch.stream[i]));
      int32_t call = batch.call_of[i];
      listing.source_line.push_back(call < 0 ? 0 : program.calls[size_t(call)].line);
    }
  return listing;
}

}  // namespace tw::vta
