"""Where each metric comes from: `info.reference` is a key of this table."""

from __future__ import annotations

BIBLIOGRAPHY: dict[str, str] = {
    "alaa2022": (
        "Alaa, van Breugel, Saveliev, van der Schaar. How Faithful is your Synthetic Data? Sample-level "
        "Metrics for Evaluating and Auditing Generative Models. ICML 2022. arXiv:2102.08921"
    ),
    "binkowski2018": ("Bińkowski, Sutherland, Arbel, Gretton. Demystifying MMD GANs. ICLR 2018. arXiv:1801.01401"),
    "bonneel2015": (
        "Bonneel, Rabin, Peyré, Pfister. Sliced and Radon Wasserstein Barycenters of Measures. Journal of Mathematical "
        "Imaging and Vision 51:22-45, 2015. doi:10.1007/s10851-014-0506-3"
    ),
    "cheema2023": (
        "Cheema, Urner. Precision Recall Cover: A Method For Assessing Generative Models. AISTATS 2023, "
        "PMLR 206. https://proceedings.mlr.press/v206/cheema23a.html"
    ),
    "chong2020": (
        "Chong, Forsyth. Effectively Unbiased FID and Inception Score and Where to Find Them. CVPR 2020. "
        "arXiv:1911.07023"
    ),
    "ecgeneval": "ECGEN-Eval 0.5.0, Python package, metric pr_dist. https://pypi.org/project/ecgen-eval/",
    "friedman2023": (
        "Friedman, Dieng. The Vendi Score: A Diversity Evaluation Metric for Machine Learning. TMLR 2023. "
        "arXiv:2210.02410"
    ),
    "feydy2019": (
        "Feydy, Séjourné, Vialard, Amari, Trouvé, Peyré. Interpolating between Optimal Transport and MMD using "
        "Sinkhorn Divergences. AISTATS 2019. arXiv:1810.08278"
    ),
    "gretton2012": (
        "Gretton, Borgwardt, Rasch, Schölkopf, Smola. A Kernel Two-Sample Test. JMLR 13:723-773, 2012. "
        "https://jmlr.org/papers/v13/gretton12a.html"
    ),
    "han2022": (
        "Han, Choi, Choi, Kim, Ha, Choi. Rarity Score: A New Metric to Evaluate the Uncommonness of "
        "Synthesized Images. ICLR 2023. arXiv:2206.08549"
    ),
    "heusel2017": (
        "Heusel, Ramsauer, Unterthiner, Nessler, Hochreiter. GANs Trained by a Two Time-Scale Update Rule "
        "Converge to a Local Nash Equilibrium. NeurIPS 2017. arXiv:1706.08500"
    ),
    "jayasumana2024": (
        "Jayasumana, Ramalingam, Veit, Glasner, Chakrabarti, Kumar. Rethinking FID: Towards a Better Evaluation "
        "Metric for Image Generation. CVPR 2024. arXiv:2401.09603"
    ),
    "jiralerspong2023": (
        "Jiralerspong, Bose, Gemp, Qin, Bachrach, Gidel. Feature Likelihood Divergence: Evaluating the "
        "Generalization of Generative Models Using Samples. NeurIPS 2023. arXiv:2302.04440"
    ),
    "khayatkhoei2023": (
        "Khayatkhoei, AbdAlmageed. Emergent Asymmetry of Precision and Recall for Measuring Fidelity and "
        "Diversity of Generative Models in High Dimensions. ICML 2023. arXiv:2306.09618"
    ),
    "kim2023": (
        "Kim, Jang, Kim, Yoo. TopP&R: Robust Support Estimation Approach for Evaluating Fidelity and Diversity in "
        "Generative Models. NeurIPS 2023. arXiv:2306.08013"
    ),
    "kynkaanniemi2019": (
        "Kynkäänniemi, Karras, Laine, Lehtinen, Aila. Improved Precision and Recall Metric for Assessing "
        "Generative Models. NeurIPS 2019. arXiv:1904.06991"
    ),
    "lopezpaz2017": "Lopez-Paz, Oquab. Revisiting Classifier Two-Sample Tests. ICLR 2017. arXiv:1610.06545",
    "meehan2020": (
        "Meehan, Chaudhuri, Dasgupta. A Non-Parametric Test to Detect Data-Copying in Generative Models. "
        "AISTATS 2020. arXiv:2004.05675"
    ),
    "naeem2020": (
        "Naeem, Oh, Uh, Choi, Yoo. Reliable Fidelity and Diversity Metrics for Generative Models. ICML 2020. "
        "arXiv:2002.09797"
    ),
    "nguyen2025": "Nguyen, Li, Morgan, Arnaout, Arnaout. Grade Inflation in Generative Models. 2025. arXiv:2501.00664",
    "park2023": (
        "Park, Kim. Probabilistic Precision and Recall Towards Reliable Evaluation of Generative Models. "
        "ICCV 2023. arXiv:2309.01590"
    ),
    "salimans2016": (
        "Salimans, Goodfellow, Zaremba, Cheung, Radford, Chen. Improved Techniques for Training GANs. NeurIPS 2016. "
        "arXiv:1606.03498"
    ),
    "sajjadi2018": (
        "Sajjadi, Bachem, Lucic, Bousquet, Gelly. Assessing Generative Models via Precision and Recall. "
        "NeurIPS 2018. arXiv:1806.00035"
    ),
    "salvy2025": (
        "Salvy, Talbot, Thirion. Enhanced Generative Model Evaluation with Clipped Density and Coverage. "
        "ICLR 2026. arXiv:2507.01761"
    ),
    "szekely2013": (
        "Székely, Rizzo. Energy statistics: A class of statistics based on distances. Journal of Statistical "
        "Planning and Inference 143:1249-1272, 2013. doi:10.1016/j.jspi.2013.03.018"
    ),
    "villani2009": "Villani. Optimal Transport, Old and New. Springer, 2009. doi:10.1007/978-3-540-71050-9",
    "xu2018": (
        "Xu, Huang, Yuan, Guo, Sun, Wu, Weinberger. An empirical study on evaluation metrics of generative "
        "adversarial networks. 2018. arXiv:1806.07755"
    ),
}
