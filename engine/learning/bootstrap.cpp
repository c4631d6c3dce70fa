#include "engine/learning/bootstrap.h"

#include <cmath>

namespace tw {

Uncertain Bootstrap::predict(FeatureTable rows) const {
  TW_ASSERT(!ensembles.empty(), "a bootstrap has an ensemble");
  size_t count = rows.rows();
  std::vector<double> means(count, 0.0), squares(count, 0.0);
  std::vector<float> predictions(count);
  for (size_t n = 0; n < ensembles.size(); ++n) {
    ensembles[n].predict(rows, predictions);
    for (size_t i = 0; i < count; ++i) {  // Welford 1962: no difference of large sums
      double before = double(predictions[i]) - means[i];
      means[i] += before / double(n + 1);
      squares[i] += before * (double(predictions[i]) - means[i]);
    }
  }
  Uncertain all{std::vector<float>(means.begin(), means.end()), std::vector<float>(count, 0.0f)};
  if (ensembles.size() > 1)
    for (size_t i = 0; i < count; ++i)
      all.deviations[i] = float(std::sqrt(squares[i] / double(ensembles.size() - 1)));
  return all;
}

}  // namespace tw
