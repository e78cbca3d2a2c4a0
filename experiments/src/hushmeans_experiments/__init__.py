"""The paper's experiments. NOT PRIVATE: simulated noise, exact scores, public datasets."""
