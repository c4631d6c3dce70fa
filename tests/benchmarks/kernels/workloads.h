/// The workloads by name, as models of one operator, with data for them and what to expect.
#pragma once

#include <vector>

#include "engine/imported/imported_model.h"
#include "tests/benchmarks/kernels/workload.h"

namespace tw::bench {

/// C1-C12: ResNet-18's convolutions; D1-D9: MobileNet's depthwise ones (both: Chen et al. 2018
/// (TVM), table 2); S64-S2048: products of square matrices.
std::vector<Workload> const& all_workloads();
/// Null when there is none of that name.
Workload const* find_workload(std::string const& name);

struct Operands {
  NDArray data;
  NDArray weights;
};
Operands random_operands(Workload const& workload, uint64_t seed);

/// The model a user would open: input "data", output "output". The weights of a convolution are
/// constants of the model; the second matrix of a product is an input, "weights".
ImportedModel model_of(Workload const& workload, NDArray const& weights);
/// The same between two 1x1 convolutions that leave every value as it is: how the operator runs
/// inside of a network, where its neighbours may write and read other layouts.
ImportedModel model_inside_network(Workload const& workload, NDArray const& weights);
/// The inputs of either model.
std::vector<NDArray> inputs_of(Workload const& workload, Operands const& operands);

/// The largest difference between `values` and float64 sums, over `samples` random places, against
/// the largest sum among them.
double error_of(Workload const& workload, Operands const& operands, float const* values,
                int samples, uint64_t seed);

}  // namespace tw::bench
