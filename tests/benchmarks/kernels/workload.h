/// What is measured: one operator, batch 1, f32. Plain data, shared with the peers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw::bench {

/// A convolution of square planes (groups > 1: depthwise), or a product of square matrices when
/// `matrix` is not 0.
struct Workload {
  std::string name;
  int64_t matrix = 0;  ///< rows, columns and depth of a matrix product
  int64_t image = 0;   ///< height and width of the input
  int64_t channels = 0;
  int64_t filters = 0;
  int64_t window = 1;
  int64_t stride = 1;
  int64_t groups = 1;

  bool is_matrix_product() const { return matrix > 0; }
  bool is_depthwise() const { return groups > 1 && groups == channels; }
  int64_t padding() const { return window / 2; }
  int64_t output_image() const { return (image + 2 * padding() - window) / stride + 1; }
  int64_t channels_of_a_group() const { return channels / groups; }

  std::vector<int64_t> data_shape() const {
    if (matrix) return {matrix, matrix};
    return {1, channels, image, image};
  }
  std::vector<int64_t> weight_shape() const {
    if (matrix) return {matrix, matrix};
    return {filters, channels_of_a_group(), window, window};
  }
  std::vector<int64_t> output_shape() const {
    if (matrix) return {matrix, matrix};
    return {1, filters, output_image(), output_image()};
  }
  /// Nominal: taps on the padding count, whether a kernel computes them or not.
  double flops() const {
    if (matrix) return 2.0 * double(matrix) * double(matrix) * double(matrix);
    return 2.0 * double(filters * output_image() * output_image()) *
           double(channels_of_a_group() * window * window);
  }
};

}  // namespace tw::bench
